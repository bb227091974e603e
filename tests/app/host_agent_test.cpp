#include "loaders/host_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "exporters/raw_client.h"
#include "findings/wrap_findings.h"
#include "loaders/tuned_file.h"
#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/base/cpu_set.h"
#include "sluice/probes/binding.h"
#include "sluice/probes/host_leases.h"
#include "sluice/probes/machine_budget.h"

namespace sluice::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Between Start() and Stop() an agent has looked at least once.
class HostAgentTest : public testing::Test {
 protected:
  std::unique_ptr<probes::SegmentWriter> Loader(const std::string& program,
                                                const std::string& run_id = "ours") {
    probes::SegmentOptions options = probes::SegmentIn(folder_.path());
    options.program = program;
    options.run_id = run_id;
    auto loader = std::make_unique<probes::SegmentWriter>(options, probes::SmallGraph(), probes::SmallKnobs(),
                                                          Budget{1, 512_MiB});
    loader->consumer().items.store(100);
    loader->header().ready.store(1);
    return loader;
  }

  // One core, whatever the machine has.
  HostAgentOptions Options() {
    HostAgentOptions options;
    options.folder = folder_.path();
    options.run_id = "ours";
    options.cores = 1;
    return options;
  }

  std::string ReportOf(const HostAgentOptions& options) {
    HostAgent agent(options);
    agent.Start();
    agent.Stop();
    return exporters::WrapReportText({.loaders = Tellable(agent.Reports(), {})});
  }

  [[nodiscard]] std::string File(const std::string& name) const { return others_.path() + "/" + name; }

  std::string Tuned(double cores) {
    const std::string path = File("tuned.toml");
    std::ofstream(path) << TunedToml({.cpu = "",
                                      .cores = cores,
                                      .loaders = {{.program = "train.py: loader",
                                                   .rank = {},
                                                   .knobs = {{"decode.workers", 6}, {"decode.capacity", 900}},
                                                   .rate = 0}}});
    return path;
  }

  probes::TempFolder folder_, others_;
};

TEST_F(HostAgentTest, TellsOfTheLoadersOfItsOwnRun) {
  const auto ours = Loader("train.py: loader");
  const auto theirs = Loader("other.py: loader", "theirs");
  EXPECT_THAT(ReportOf(Options()), AllOf(HasSubstr("train.py: loader"), Not(HasSubstr("other.py"))));
}

TEST_F(HostAgentTest, AFolderThatIsNotThereOrHoldsRubbishIsNoReasonToStop) {
  HostAgentOptions nowhere = Options();
  nowhere.folder = File("missing");
  EXPECT_THAT(ReportOf(nowhere), HasSubstr("no PyTorch DataLoader handed out a batch"));
  std::ofstream(folder_.path() + "/rubbish") << std::string(5000, 'x');
  const auto ours = Loader("train.py: loader");
  EXPECT_THAT(ReportOf(Options()), HasSubstr("train.py: loader"));
}

TEST_F(HostAgentTest, IsSteeredThroughItsSocketWhileItGoesOn) {
  const auto loader = Loader("train.py: loader");
  const std::string socket = folder_.path() + "/" + std::to_string(getpid()) + ".control";
  std::string lease;
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& body) {
    const std::string answer = exporters::RawClient(socket).Ask(
        method + " " + path + " HTTP/1.1\r\nSluice-Lease: " + lease +
        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  };
  HostAgent agent(Options());
  agent.Start();
  const auto about = ask("GET", "/v1", "");
  EXPECT_EQ(about["verb"], "wrap");
  EXPECT_EQ(about["pipelines"][0]["name"], "train.py: loader");
  lease = ask("POST", "/v1/lease", R"({"name": "alice"})")["lease"];
  ask("POST", "/v1/pipelines/0/knobs", R"({"set": {"decode.workers": 5}, "pin": true})");
  EXPECT_EQ(loader->knobs()[0].requested.load(), 5);
  EXPECT_EQ(loader->knobs()[0].holder.load(), static_cast<std::uint32_t>(Holder::kUser));
  agent.Stop();
  EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST_F(HostAgentTest, HasNoSocketWhereNoneIsWanted) {
  HostAgentOptions options = Options();
  options.control = false;
  HostAgent agent(options);
  agent.Start();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(HostAgentTest, StartsFromWhatAnEarlierRunHasFoundWithinTheKnobsBounds) {
  const auto loader = Loader("train.py: loader");
  HostAgentOptions options = Options();
  options.load = Tuned(1);
  EXPECT_THAT(ReportOf(options), HasSubstr("started from an earlier run"));
  EXPECT_EQ(loader->knobs()[0].requested.load(), 6);
  EXPECT_EQ(loader->knobs()[1].requested.load(), 64);
}

TEST_F(HostAgentTest, LeavesAloneWhatWasFoundOnAnotherMachineAndWhereOnlyAdviceIsWanted) {
  const auto loader = Loader("train.py: loader");
  HostAgentOptions elsewhere = Options();
  elsewhere.load = Tuned(64);
  testing::internal::CaptureStderr();
  ReportOf(elsewhere);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("tuned.toml: it was found with 64 cores"));
  HostAgentOptions advising = Options();
  advising.load = Tuned(1);
  advising.mode = TuneMode::kAdvise;
  ReportOf(advising);
  EXPECT_EQ(loader->knobs()[0].requested.load(), 2);
}

TEST_F(HostAgentTest, SavesWhatItsLoadersCameTo) {
  HostAgentOptions options = Options();
  options.save = File("found.toml");
  testing::internal::CaptureStderr();
  ReportOf(options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no loader was measured"));
  EXPECT_FALSE(std::filesystem::exists(options.save));
  const auto loader = Loader("train.py: loader");
  ReportOf(options);
  const auto found = ReadTuned(options.save);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->cores, 1);
  const TunedLoader* saved = found->For("train.py: loader", {});
  ASSERT_NE(saved, nullptr);
  const auto workers = std::ranges::find(saved->knobs, "decode.workers", &TunedKnob::name);
  ASSERT_NE(workers, saved->knobs.end());
  EXPECT_EQ(workers->value, 2);
}

// What others leave is a matter of the moment: the next run on this machine would not find so few.
TEST_F(HostAgentTest, SavesTheCoresOfTheMachineWhateverAnotherRunTakesOfThem) {
  const auto loader = Loader("train.py: loader");
  auto other = probes::HostLeases::Join(folder_.path());
  ASSERT_TRUE(other) << other.error().message;
  const double all = probes::ReadMachineBudget(0).cores;
  const CpuSet cpus = probes::ReadAffinity(0).value();
  ASSERT_TRUE(
      other->Renew({.pid = 2, .program = "run", .wanted = all, .most = all, .used = all, .cpus = cpus}));
  HostAgentOptions options = Options();
  options.cores.reset();
  options.save = File("found.toml");
  HostAgent agent(options);
  agent.Start();
  while (other->Others().empty()) std::this_thread::yield();  // now it shares with the other one
  agent.Stop();
  const auto found = ReadTuned(options.save);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->cores, all);
}

}  // namespace
}  // namespace sluice::app
