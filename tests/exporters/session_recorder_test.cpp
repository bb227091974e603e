#include "sluice/exporters/session_recorder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "exporters/session_folder.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;

class SessionRecorderTest : public SessionFolderTest {
 protected:
  static Snapshot At(int tenths) { return example::At(kTick * tenths, 100, 2); }
};

TEST_F(SessionRecorderTest, KeepsWhatItWasTold) {
  const std::string path = In("run.sluice");
  auto recorder = SessionRecorder::Create(path, Facts());
  ASSERT_TRUE(recorder) << recorder.error().message;
  const std::uint32_t one = (*recorder)->Add({.name = "one", .pid = 1});
  const std::uint32_t two = (*recorder)->Add({.name = "two", .pid = 2});
  DecisionLog decisions;
  decisions.Add(example::Widen(1, 0.1, 1, 2, "decode is busy"));
  for (int i = 1; i <= 20; ++i) (*recorder)->Record(one, At(i), example::DecodeLimits(), decisions);
  decisions.Apply({1, Fate::kRolledBack, Rate{4}});
  (*recorder)->Record(one, At(21), example::DecodeLimits(), decisions, {{"demand", 40}});
  (*recorder)->Record(two, At(7), {}, {});
  (*recorder)->Tell(two, At(7).at, "nothing moves");
  (*recorder)->Close(At(21).at, Nanos(0), "finished");
  EXPECT_EQ((*recorder)->Trouble(), std::nullopt);
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_EQ(session->pipelines().size(), 2u);
  EXPECT_EQ(session->pipelines()[0].moments.size(), 21u);
  EXPECT_EQ(session->pipelines()[1].moments.size(), 1u);
  const auto last = session->At(0, 20);
  ASSERT_TRUE(last && last->beliefs.size() == 1);
  EXPECT_EQ(last->beliefs[0].value, 40);
  EXPECT_TRUE(session->At(0, 19)->beliefs.empty());
  const auto read = session->Decisions(0);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->entries().size(), 1u);
  EXPECT_EQ(read->entries()[0].fate, Fate::kRolledBack) << "its fate became known later";
  EXPECT_EQ(session->Events(1)->at(0).text, "nothing moves");
}

TEST_F(SessionRecorderTest, ReplacesASessionAndLeavesEverythingElseAlone) {
  const std::string path = In("run.sluice");
  for (const char* name : {"first", "second"}) {
    auto recorder = SessionRecorder::Create(path, Facts());
    ASSERT_TRUE(recorder) << recorder.error().message;
    (*recorder)->Record((*recorder)->Add({.name = name, .pid = 1}), At(1), {}, {});
    (*recorder)->Close(At(1).at, Nanos(0), "");
  }
  EXPECT_EQ(SessionReader::Open(path)->pipelines()[0].info.name, "second");
  std::ofstream(In("thesis.tex")) << "years of work";
  const auto refused = SessionRecorder::Create(In("thesis.tex"), Facts());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("thesis.tex is no session of Sluice's"));
  std::stringstream kept;
  kept << std::ifstream(In("thesis.tex")).rdbuf();
  EXPECT_EQ(kept.str(), "years of work");
  const auto nowhere = SessionRecorder::Create(In("missing/run.sluice"), Facts());
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("missing/run.sluice"));
}

TEST_F(SessionRecorderTest, GoesOnWithoutAFileThatIsTakenAway) {
  const std::string path = In("run.sluice");
  auto recorder = SessionRecorder::Create(path, Facts());
  ASSERT_TRUE(recorder) << recorder.error().message;
  const std::uint32_t one = (*recorder)->Add({.name = "one", .pid = 1});
  std::filesystem::remove(path);
  (*recorder)->Record(one, At(1), {}, {});
  (*recorder)->Close(At(1).at, Nanos(0), "finished");
  EXPECT_THAT((*recorder)->Trouble().value_or(""), HasSubstr("it has been moved or removed"));
  EXPECT_EQ((*recorder)->Trouble(), std::nullopt) << "told once";
  EXPECT_FALSE(std::filesystem::exists(path)) << "nor does it come back";
}

TEST_F(SessionRecorderTest, TellsOnceOfADiskThatIsFullAndLeavesAReadableFile) {
  const std::string path = In("run.sluice");
  auto recorder = SessionRecorder::Create(path, Facts());
  ASSERT_TRUE(recorder) << recorder.error().message;
  const std::uint32_t one = (*recorder)->Add({.name = "one", .pid = 1});
  (*recorder)->Record(one, At(1), {}, {});
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto was = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  (*recorder)->Close(At(1).at, Nanos(0), "finished");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, was);
  EXPECT_THAT((*recorder)->Trouble().value_or(""), HasSubstr("run.sluice"));
  recorder->reset();
  EXPECT_THAT(SessionReader::Open(path).error().message, HasSubstr("holds no snapshot"));
}

TEST_F(SessionRecorderTest, LeavesAWholeFileBehindWhenItIsKilled) {
  const std::string path = In("run.sluice");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = SessionWriter::Create(path, Facts(), {});
    if (!writer) _exit(1);
    const bool written =
        (*writer)
            ->Write({PipelineEntry{1, {.name = "one", .pid = 1}}, SnapshotEntry{1, At(1), {}}})
            .has_value();
    if (!written) _exit(2);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child came to " << WEXITSTATUS(status);
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->pipelines()[0].moments.size(), 1u);
  EXPECT_FALSE(session->end()) << "nobody said how it ended";
}

}  // namespace
}  // namespace sluice::exporters
