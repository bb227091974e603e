#include "steer/remote_run.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/steered_run.h"
#include "control/control_options.h"
#include "sluice/exporters/control_server.h"

namespace sluice::app {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

// A run that goes on, with its lap on a thread of its own, and a door.
class ServedRun {
 public:
  explicit ServedRun(const std::filesystem::path& folder, const exporters::ControlLimits& limits = {}) {
    auto server = exporters::ControlServer::Start(folder / "1.control",
                                                  exporters::ControlDoor{"127.0.0.1:0", kToken}, limits);
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    lap_ = std::thread([this] { Main(); });
  }
  ~ServedRun() {
    ending_ = true;
    lap_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  // What is told from now on is of another process.
  void BecomeAnother() { another_ = true; }
  // It does not list its pipelines from now on.
  void RefuseToList() { refuses_ = true; }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  void Main() {
    while (!ending_) {
      run_.agent.Step();
      for (const auto& request : server_->Take().requests) {
        const bool refuse = refuses_ && request.path == "/v1";
        refused_ += refuse;
        server_->Answer(
            request.id,
            refuse ? exporters::ControlAnswer{.status = 503, .json = R"({"error": "the run has ended"})"}
                   : run_.steering.Handle(request, kRunStart));
      }
      exporters::ControlAnswer line =
          run_.steering.Handle({1, "GET", "/v1/pipelines/0/snapshot", "", ""}, kRunStart);
      if (const auto pid = line.json.find("\"pid\":7"); another_) line.json.replace(pid, 7, "\"pid\":8");
      for (const std::size_t number : server_->Watched()) server_->Tell(number, line.json);
      std::this_thread::yield();
    }
  }

  SteeredRun run_;
  std::unique_ptr<exporters::ControlServer> server_;
  std::atomic<bool> ending_ = false, another_ = false, refuses_ = false;
  std::atomic<int> refused_ = 0;
  std::thread lap_;
};

class RemoteRunTest : public testing::Test {
 protected:
  RemoteRunTest() { std::filesystem::create_directories(folder_); }
  ~RemoteRunTest() override { std::filesystem::remove_all(folder_); }
  // Until it has told so many moments.
  static void Hear(RemoteRun& run, std::size_t moments) {
    for (std::size_t heard = 0; heard < moments; std::this_thread::yield()) heard += run.Take().size();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("remote_run_" + std::to_string(getpid()));
};

TEST_F(RemoteRunTest, TellsARunOverItsSocketUntilItEnds) {
  auto served = std::make_unique<ServedRun>(folder_);
  auto run = RemoteRun::Open({.where = folder_ / "1.control"}, "tra");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ((*run)->first().name, "train");
  EXPECT_EQ((*run)->first().pid, 7);
  Hear(**run, 3);
  EXPECT_FALSE((*run)->over());
  served.reset();
  while (!(*run)->over()) std::this_thread::yield();
}

// As a run does that is about to end.
TEST_F(RemoteRunTest, HearsTheEndOfARunThatNoLongerListsItsPipelines) {
  auto served = std::make_unique<ServedRun>(folder_);
  auto run = RemoteRun::Open({.where = folder_ / "1.control"}, "");
  ASSERT_TRUE(run) << run.error().message;
  Hear(**run, 1);
  served->RefuseToList();
  while (served->refused() == 0) std::this_thread::yield();
  Hear(**run, 100);
  served.reset();
  while (!(*run)->over()) std::this_thread::yield();
}

TEST_F(RemoteRunTest, SaysWhyItIsNotHeard) {
  const ServedRun served(folder_, {.streams = 1});
  auto first = RemoteRun::Open({.where = folder_ / "1.control"}, "");
  ASSERT_TRUE(first) << first.error().message;
  Hear(**first, 1);
  EXPECT_EQ((*first)->lost(), "");
  auto second = RemoteRun::Open({.where = folder_ / "1.control"}, "");
  ASSERT_TRUE(second) << second.error().message;
  while ((*second)->lost().empty()) std::this_thread::yield();
  EXPECT_THAT((*second)->lost(), HasSubstr("too many watch already"));
  first->reset();
  Hear(**second, 1);
  EXPECT_EQ((*second)->lost(), "") << "it was looked for again";
}

TEST_F(RemoteRunTest, ListsWhatAnswers) {
  const ServedRun served(folder_);
  const std::string where = "localhost:" + std::to_string(served.port());
  auto run = RemoteRun::Open({.where = where, .token = kToken}, std::size_t{0});
  ASSERT_TRUE(run) << run.error().message;
  const auto listed = (*run)->listed();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].name, "train");
  EXPECT_EQ(listed[0].pid, 7);
  Hear(**run, 1);
  EXPECT_THAT(RemoteRun::Open({.where = where, .token = kToken}, std::size_t{5}).error().message,
              HasSubstr(where));
}

TEST_F(RemoteRunTest, AnotherRunAtTheSamePlaceIsNotTakenForTheFirst) {
  ServedRun served(folder_);
  auto run = RemoteRun::Open({.where = folder_ / "1.control"}, "");
  ASSERT_TRUE(run) << run.error().message;
  Hear(**run, 1);
  EXPECT_FALSE((*run)->over());
  served.BecomeAnother();
  while (!(*run)->over()) std::this_thread::yield();
  for (const exporters::SeenPipeline& seen : (*run)->Take()) EXPECT_EQ(seen.pid, 7);
}

TEST_F(RemoteRunTest, ADoorOpensForItsTokenOnly) {
  const ServedRun served(folder_);
  const std::string where = "localhost:" + std::to_string(served.port());
  auto run = RemoteRun::Open({.where = where, .token = kToken}, "");
  ASSERT_TRUE(run) << run.error().message;
  Hear(**run, 3);
  for (const std::string& token : {std::string(), std::string(kToken).substr(1), std::string(kToken) + "0"}) {
    const auto refused = RemoteRun::Open({.where = where, .token = token}, "");
    ASSERT_FALSE(refused) << token;
    EXPECT_THAT(refused.error().message, HasSubstr("show the token"));
  }
}

TEST_F(RemoteRunTest, SaysWhatThereIsAndWhoDoesNotAnswer) {
  EXPECT_THAT(RemoteRun::Open({.where = folder_ / "2.control"}, "").error().message,
              HasSubstr("nobody answers"));
  EXPECT_THAT(RemoteRun::Open({.where = "no.such.host.invalid:1"}, "").error().message,
              HasSubstr("HOST:PORT"));
  const ServedRun served(folder_);
  EXPECT_THAT(RemoteRun::Open({.where = folder_ / "1.control"}, "other").error().message,
              HasSubstr("there are: train"));
}

class ControlDoorTest : public RemoteRunTest {
 protected:
  std::string File(const std::string& text, unsigned mode = 0600) {
    const std::string path = folder_ / "token";
    std::ofstream(path) << text;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }
  static std::string WhyNot(const ControlOptions& options) {
    const auto door = DoorOf(options);
    return door ? "it opens" : door.error().message;
  }
};

TEST_F(ControlDoorTest, NeverOpensWithoutATokenThatOnlyItsOwnerKnows) {
  EXPECT_FALSE(DoorOf({})->has_value());
  EXPECT_THAT(WhyNot({.listen = "0.0.0.0:1"}), HasSubstr("give a --token-file"));
  EXPECT_THAT(WhyNot({.token_file = "x"}), HasSubstr("no --listen"));
  EXPECT_THAT(WhyNot({.none = true, .listen = "0.0.0.0:1", .token_file = "x"}), HasSubstr("--no-control"));
  EXPECT_THAT(WhyNot({.listen = "0.0.0.0:1", .token_file = "/no/such"}), HasSubstr("openssl rand"));
  EXPECT_THAT(WhyNot({.listen = "0.0.0.0:1", .token_file = folder_}), HasSubstr("is no file"));
  const auto why = [&](const std::string& text, unsigned mode) {
    return WhyNot({.listen = "0.0.0.0:1", .token_file = File(text, mode)});
  };
  EXPECT_THAT(why(kToken, 0640), HasSubstr("can be read by others"));
  EXPECT_THAT(why("short\n", 0600), HasSubstr("first line of 5 characters"));
  EXPECT_THAT(why(std::string(300, 'x'), 0600), HasSubstr("too many"));
  EXPECT_THAT(why("0123456789 abcdefgh\n", 0600), HasSubstr("blanks"));
  const auto door = DoorOf({.listen = "0.0.0.0:1", .token_file = File(std::string(kToken) + "\nmore\n")});
  ASSERT_TRUE(door) << door.error().message;
  EXPECT_EQ((*door)->token, kToken);
}

}  // namespace
}  // namespace sluice::app
