#include "session/session_writer.h"

#include <gtest/gtest.h>

#include "exporters/session_folder.h"

namespace sluice::exporters {
namespace {

class SessionWriterTest : public SessionFolderTest {};

constexpr auto kSteady = [](Nanos) { return 800.0; };

TEST_F(SessionWriterTest, KeepsTheRecentPastWholeAndOlderMomentsTheMoreRarelyTheOlder) {
  const std::string path = In("run.sluice");
  WriteRun(path, std::chrono::seconds(200), kSteady, {}, {.recent = std::chrono::seconds(20)});
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const auto& moments = session->pipelines()[0].moments;
  const MonoTime end = moments.back().at;
  EXPECT_EQ(end, example::kStart + std::chrono::seconds(200)) << "the newest";
  EXPECT_EQ(moments.front().at, example::kStart) << "and the first are there";
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const Nanos age = end - moments[i].at;
    const Nanos gap = moments[i].at - moments[i - 1].at;
    if (age < std::chrono::seconds(18)) {
      EXPECT_EQ(gap, kTick) << Seconds(age) << " s ago";
    }
    EXPECT_LE(gap, std::max(kTick, age / 50)) << Seconds(age) << " s ago";
  }
  EXPECT_LT(moments.size(), 600u) << "of 2001";
  const auto database = Database::Open(path, Database::Mode::kRead);
  ASSERT_TRUE(database);
  for (const char* table : {"snapshot", "belief"}) {
    EXPECT_EQ((*database)->AskWhole(std::string("SELECT count(*) FROM ") + table), std::ssize(moments))
        << "what goes, goes with all that belongs to it: " << table;
  }
}

TEST_F(SessionWriterTest, KeepsSumsExactOverWhatItHasThinned) {
  const std::string path = In("run.sluice");
  const auto stepping = [](Nanos t) { return t < std::chrono::seconds(100) ? 160.0 : 1600.0; };
  WriteRun(path, std::chrono::seconds(200), stepping, {}, {.recent = std::chrono::seconds(10)});
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const RecordedPipeline& pipeline = session->pipelines()[0];
  const auto state = session->At(0, pipeline.From(example::kStart + std::chrono::seconds(50)));
  ASSERT_TRUE(state);
  EXPECT_NEAR(static_cast<double>(state->now.consumer.rows), 160 * Seconds(state->now.at - example::kStart),
              2);
  EXPECT_EQ(state->now.ops[2].items, example::At(state->now.at - example::kStart, 100, 2).ops[2].items);
}

TEST_F(SessionWriterTest, StaysBelowItsLimit) {
  const std::string path = In("run.sluice");
  WriteRun(path, std::chrono::minutes(20), kSteady, {}, {.limit = 2_MiB});
  EXPECT_LE(std::filesystem::file_size(path), static_cast<std::uintmax_t>((2_MiB).count));
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const auto& moments = session->pipelines()[0].moments;
  EXPECT_EQ(moments.back().at - moments.front().at, Nanos(std::chrono::minutes(20)));
  EXPECT_EQ(moments.back().at - moments[moments.size() - 50].at, kTick * 49) << "the last seconds are whole";
}

TEST_F(SessionWriterTest, SaysThatItIsFullWhereNothingCanMakeRoom) {
  auto writer = SessionWriter::Create(In("run.sluice"), Facts(), {.limit = 1_MiB});
  ASSERT_TRUE(writer) << writer.error().message;
  for (int i = 0; i < 600 && !(*writer)->Full(); ++i) {
    ASSERT_TRUE((*writer)->Write({EventEntry{1, Nanos(i), std::string(4000, 'x')}}));
  }
  EXPECT_TRUE((*writer)->Full());
}

// An hour of the pipeline that is recorded most densely: ten looks a second.
TEST_F(SessionWriterTest, TakesLessThan50MbForAnHour) {
  const std::string path = In("run.sluice");
  WriteRun(path, std::chrono::hours(1), kSteady);
  EXPECT_LT(std::filesystem::file_size(path), 50'000'000u);
}

TEST_F(SessionWriterTest, WritesWhatFailedAgainWhenItCan) {
  const std::string path = In("run.sluice");
  auto writer = SessionWriter::Create(path, Facts(), {});
  ASSERT_TRUE(writer) << writer.error().message;
  const PipelineEntry pipeline{1, {.name = "p", .pid = 1}};
  const SnapshotEntry first{1, example::At(std::chrono::seconds(1), 100, 1), {}};
  const SnapshotEntry second{1, example::At(std::chrono::seconds(2), 100, 2), {}};
  const auto other = Database::Open(path, Database::Mode::kCreate);
  ASSERT_TRUE(other);
  (*other)->Execute("BEGIN IMMEDIATE");  // somebody else writes, and does not end
  EXPECT_FALSE((*writer)->Write({pipeline, first}));
  (*other)->Execute("COMMIT");
  ASSERT_TRUE((*writer)->Write({pipeline, second}));
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->pipelines()[0].moments.size(), 1u);
  const auto state = session->At(0, 0);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->now.knobs, second.now.knobs) << "although the first snapshot's knobs were lost with it";
  EXPECT_EQ(state->now.graph->ops.size(), 5u);
}

TEST_F(SessionWriterTest, KnowsThatItsFileIsGone) {
  const std::string path = In("run.sluice");
  auto writer = SessionWriter::Create(path, Facts(), {});
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_FALSE((*writer)->Gone());
  std::filesystem::rename(path, In("elsewhere"));
  EXPECT_TRUE((*writer)->Gone());
}

}  // namespace
}  // namespace sluice::exporters
