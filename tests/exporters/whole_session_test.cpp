#include "sluice/exporters/whole_session.h"

#include <gmock/gmock.h>

#include <fstream>

#include "exporters/example_profile.h"
#include "exporters/session_folder.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/live_table.h"
#include "sluice/exporters/session_compare.h"
#include "sluice/exporters/session_page.h"
#include "sluice/exporters/session_view.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;
using testing::Not;

class WholeSession : public SessionFolderTest {
 protected:
  static WholePipeline Imported(int rank = 0) {
    const auto profile = ReadMindSporeProfile(example::Profile(rank));
    WholePipeline pipeline{.info = {.name = fmt::format("minddata_{}", rank), .rank = rank}};
    for (const Snapshot& now : profile->snapshots)
      pipeline.states.push_back({now, {Limit::kOp, 1, "Map(2) limits the run", {0.9}}});
    for (const std::string& note : profile->notes)
      pipeline.events.push_back({profile->snapshots[0].at, note});
    return pipeline;
  }
  SessionReader Written(const std::vector<WholePipeline>& pipelines) {
    SessionFacts facts{.verb = kImportVerb, .name = "profiler", .version = "0.1.0"};
    facts.machine.logical_cpus = 16;
    const auto written = WriteWholeSession(In("run.sluice"), facts, pipelines,
                                           {.at = MonoTime(1), .outcome = "was profiled by MindSpore"});
    EXPECT_TRUE(written) << written.error().message;
    auto session = SessionReader::Open(In("run.sluice"));
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
  }
  static TextStyle Wide() { return {.width = 200, .height = 60, .colour = false, .unicode = false}; }
};

TEST_F(WholeSession, KeepsEverySnapshotAndWhatIsUnknown) {
  const WholePipeline pipeline = Imported();
  const SessionReader session = Written({pipeline});
  ASSERT_EQ(session.pipelines()[0].moments.size(), pipeline.states.size());
  const auto last = session.At(0, pipeline.states.size() - 1);
  ASSERT_TRUE(last);
  const Snapshot& now = last->now;
  EXPECT_FALSE(now.ops[1].items_known || now.ops[1].timed || now.ops[1].counted || now.connectors[0].counted);
  EXPECT_FALSE(now.consumer.rows_known || now.buffered_known || now.epoch_known);
  EXPECT_TRUE(now.consumer.items_known && now.consumer.timed && now.cpu_known && now.ops[2].items_known);
  EXPECT_EQ(now.consumer.items, 80u);
  EXPECT_EQ(ToldOf(session.At(0, 0)->now, now, last->verdict, {}),
            ToldOf(pipeline.states.front().now, pipeline.states.back().now, last->verdict, {}));
}

TEST_F(WholeSession, StoresNullForWhatIsUnknown) {
  Written({Imported()});
  const auto database = Database::Open(In("run.sluice"), Database::Mode::kRead);
  ASSERT_TRUE(database);
  const auto count = [&](const char* table, const char* column) {
    return (*database)->AskWhole(fmt::format("SELECT count({}) FROM {}", column, table)).value_or(-1);
  };
  for (const char* column : {"bytes", "failed", "busy_ns", "starved_ns", "backed_up_ns"})
    EXPECT_EQ(count("op_reading", column), 0) << column;
  EXPECT_EQ(count("op_reading", "items"), count("snapshot", "items")) << "of the last op only";
  for (const char* column : {"pushed", "popped", "bytes"})
    EXPECT_EQ(count("connector_reading", column), 0) << column;
  for (const char* column : {"rows", "epoch", "buffered_bytes", "buffered_peak_bytes"})
    EXPECT_EQ(count("snapshot", column), 0) << column;
  EXPECT_GT(count("snapshot", "starved_ns"), 0);
}

TEST_F(WholeSession, IsReplayedWithAStrokeForWhatIsUnknown) {
  const SessionReader session = Written({Imported()});
  const auto view = ViewAt(session, 0, session.pipelines()[0].moments.size() - 1, {});
  ASSERT_TRUE(view);
  std::string table;
  for (const std::string& line : LiveTable(*view, Wide())) table += line + "\n";
  EXPECT_THAT(table, testing::ContainsRegex("Map.2. +LIMITS +map +8 +- +- +- +- +90%"));
  EXPECT_THAT(table, HasSubstr("20 batches/s   - rows/s   starved 80%"));
  EXPECT_THAT(table, HasSubstr("10.0 of 16 cores"));
  EXPECT_THAT(table, HasSubstr("- buffered"));
  EXPECT_THAT(table, Not(HasSubstr("epoch 0")));
}

TEST_F(WholeSession, HasAPageThatSaysWhatIsMissing) {
  const auto page = SessionPage(Written({Imported()}));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(*page, HasSubstr("batches per second"));
  EXPECT_THAT(
      *page, HasSubstr("80 batches in 4.0s; 20 batches per second and the consumer starved 80% of its time"));
  EXPECT_THAT(*page, HasSubstr("What is missing or assumed"));
  EXPECT_THAT(*page, HasSubstr("sluice import 0.1.0, of an unknown day; unknown CPU, 16 CPUs"));
  EXPECT_THAT(*page, Not(HasSubstr("Nothing was changed")));
  EXPECT_THAT(*page, Not(HasSubstr("Settings")));
}

TEST_F(WholeSession, IsComparedInBatches) {
  const SessionReader session = Written({Imported()});
  const auto comparison = CompareSessions(session, session);
  ASSERT_TRUE(comparison) << comparison.error().message;
  const std::string text = ComparisonText(*comparison, Wide());
  EXPECT_THAT(text, HasSubstr("0% more batches per second than A"));
  EXPECT_THAT(text, testing::ContainsRegex("batches/s +20"));
  EXPECT_THAT(text, testing::ContainsRegex("Map.2. +8 +- +- +- +- +-"));
}

TEST_F(WholeSession, WithoutCountedBatchesHasNoRatio) {
  WholePipeline pipeline = Imported();
  for (RecordedState& state : pipeline.states)
    state.now.consumer = {.items_known = false, .rows_known = false, .timed = false};
  const SessionReader session = Written({pipeline});
  const auto comparison = CompareSessions(session, session);
  ASSERT_TRUE(comparison);
  EXPECT_FALSE(comparison->Worst());
  EXPECT_THAT(*SessionPage(session),
              HasSubstr(fmt::format(
                  "{0} batches in 4.0s; {0} batches per second and the consumer starved {0} of", kMissing)));
}

TEST_F(WholeSession, TellsEachPipelineAndEachNoteOnce) {
  const std::string text = WholeSessionText({Imported(0), Imported(3)}, Wide());
  EXPECT_THAT(
      text,
      HasSubstr("minddata_0: 80 batches in 4.0s\n  Map(2) limits the run (high confidence)\nminddata_3: "));
  const std::size_t first = text.find("A profile counts no items of an op");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("A profile counts no items of an op", first + 1), std::string::npos);
}

TEST_F(WholeSession, LeavesOtherFilesAlone) {
  std::ofstream(In("run.sluice")) << "years of work";
  const auto written = WriteWholeSession(In("run.sluice"), {}, {Imported()}, {});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("no session of Sluice's, so it is left alone"));
}

}  // namespace
}  // namespace sluice::exporters
