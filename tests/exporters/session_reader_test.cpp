#include "sluice/exporters/session_reader.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <fstream>

#include "exporters/session_folder.h"
#include "sluice/exporters/beliefs.h"
#include "sluice/exporters/session_view.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;

class SessionReaderTest : public SessionFolderTest {
 protected:
  static void Change(const std::string& path, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  static std::string WhyNot(const std::string& path) {
    const auto session = SessionReader::Open(path);
    return session ? "it can be read" : session.error().message;
  }
  // The state at the end, or why there is none.
  static std::string WhyNotAtEnd(const std::string& path) {
    const auto session = SessionReader::Open(path);
    if (!session) return session.error().message;
    const auto state = session->At(0, session->pipelines()[0].moments.size() - 1);
    return state ? "it can be read" : state.error().message;
  }
};

TEST_F(SessionReaderTest, GivesBackEveryFigureThatWasWritten) {
  const std::string path = In("run.sluice");
  const Snapshot first = example::At(std::chrono::seconds(11), 755, 2);
  Snapshot second = example::At(std::chrono::seconds(12), 755, 3);
  second.knobs[1].requested = 4;
  second.knobs[2].held = HeldBecause::kOrder;
  second.knobs[2].takes_effect = TakesEffect::kNextEpoch;
  second.throttled = std::chrono::milliseconds(3);
  second.ops[1].on_cpu.reset();
  second.ops[2].failed = 7;
  second.finished = true;
  const DecisionLog decisions = example::Decisions();
  {
    auto writer = SessionWriter::Create(path, Facts(), {});
    ASSERT_TRUE(writer) << writer.error().message;
    std::vector<SessionEntry> entries;
    entries.emplace_back(PipelineEntry{
        1, {.name = "train.py: \"loader\"", .rank = 3, .pid = 4242, .started = example::kStart}});
    for (const Snapshot& now : {first, second})
      entries.emplace_back(SnapshotEntry{1, now, example::DecodeLimits()});
    for (const LoggedDecision& entry : decisions.entries()) {
      std::vector<std::string> names;
      names.reserve(entry.decision.changes.size());
      for (const KnobChange& change : entry.decision.changes)
        names.push_back(KnobName(change.knob, first.knobs));
      entries.emplace_back(DecisionEntry{1, entry, names});
    }
    entries.emplace_back(EventEntry{1, first.at, "nothing moves: decode/0 is inside its op"});
    ASSERT_TRUE((*writer)->Write(entries));
    ASSERT_TRUE((*writer)->Finish(second.at, second.wall, "was interrupted"));
  }
  EXPECT_FALSE(std::filesystem::exists(path + "-wal")) << "one plain file is left";
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->facts().name, "jpeg \"train\"");
  EXPECT_EQ(session->facts().machine.memory, 16_GiB);
  ASSERT_TRUE(session->end());
  EXPECT_EQ(session->end()->outcome, "was interrupted");
  ASSERT_EQ(session->pipelines().size(), 1u);
  const RecordedPipeline& pipeline = session->pipelines()[0];
  EXPECT_EQ(pipeline.info.rank, 3);
  EXPECT_EQ(pipeline.info.name, "train.py: \"loader\"");
  ASSERT_EQ(pipeline.moments.size(), 2u);
  EXPECT_EQ(pipeline.moments[1].consumer.rows, second.consumer.rows);
  const auto from = session->At(0, 0);
  const auto to = session->At(0, 1);
  ASSERT_TRUE(from && to);
  const auto read = session->Decisions(0);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToldOf(from->now, to->now, to->verdict, *read),
            ToldOf(first, second, example::DecodeLimits(), decisions));
  EXPECT_EQ(from->now.knobs, first.knobs);
  EXPECT_EQ(to->now.knobs, second.knobs);
  EXPECT_EQ(to->now.wall, second.wall);
  EXPECT_TRUE(to->now.finished);
  const auto events = session->Events(0);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ((*events)[0].text, "nothing moves: decode/0 is inside its op");
}

TEST_F(SessionReaderTest, ViewsAMomentAsTheLiveTableShowedIt) {
  const std::string path = In("run.sluice");
  LoggedDecision early{example::Widen(1, 1.0, 1, 2, "early"), Fate::kKept, Rate{9}};
  LoggedDecision late{example::Widen(2, 4.0, 2, 4, "late"), Fate::kRolledBack, Rate{8}};
  WriteRun(path, std::chrono::seconds(6), [](Nanos) { return 100.0; }, {early, late});
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const auto decisions = session->Decisions(0);
  ASSERT_TRUE(decisions);
  const RecordedPipeline& pipeline = session->pipelines()[0];
  const auto view =
      ViewAt(*session, 0, pipeline.Until(example::kStart + std::chrono::seconds(3)), *decisions);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->now.at - view->previous.at, Nanos(std::chrono::seconds(1)));
  ASSERT_EQ(view->decisions.entries().size(), 1u) << "what was decided later is not shown";
  EXPECT_EQ(view->decisions.entries()[0].decision.because, "early");
  EXPECT_EQ(view->starved_history.size(), 6u);
  EXPECT_NEAR(view->starved_history.back().value, 0.62, 0.01);
}

TEST_F(SessionReaderTest, FindsMomentsByTime) {
  const RecordedPipeline pipeline{
      .info = {}, .graph = {}, .moments = {{Nanos(10), {}}, {Nanos(20), {}}, {Nanos(30), {}}}};
  EXPECT_EQ(pipeline.From(Nanos(0)), 0u);
  EXPECT_EQ(pipeline.From(Nanos(11)), 1u);
  EXPECT_EQ(pipeline.From(Nanos(31)), 2u);
  EXPECT_EQ(pipeline.Until(Nanos(5)), 0u);
  EXPECT_EQ(pipeline.Until(Nanos(29)), 1u);
  EXPECT_EQ(pipeline.Until(Nanos(99)), 2u);
}

TEST_F(SessionReaderTest, SaysWhatIsNoSession) {
  EXPECT_THAT(WhyNot(In("nowhere")), HasSubstr("there is no file"));
  std::ofstream(In("text")) << "not a database, but long enough to be asked for its first page";
  EXPECT_THAT(WhyNot(In("text")), HasSubstr("no session of Sluice's"));
  Change(In("other.db"), "CREATE TABLE t(x)");
  EXPECT_THAT(WhyNot(In("other.db")), HasSubstr("no session of Sluice's"));
  std::ofstream(In("empty")) << "";
  EXPECT_THAT(WhyNot(In("empty")), HasSubstr("no session of Sluice's"));
  EXPECT_THAT(WhyNot(folder_.string()), testing::Not(HasSubstr("it can be read")));
}

TEST_F(SessionReaderTest, SaysWhatItCannotReadOfASession) {
  const std::string path = In("run.sluice");
  const auto fresh = [&] { WriteRun(path, std::chrono::seconds(1), [](Nanos) { return 100.0; }); };
  fresh();
  EXPECT_EQ(WhyNotAtEnd(path), "it can be read");
  Change(path, "PRAGMA user_version = 99");
  EXPECT_THAT(WhyNot(path), HasSubstr("has format 99, and this Sluice reads format 1 only"));
  fresh();
  Change(path, "DELETE FROM snapshot");
  EXPECT_THAT(WhyNot(path), HasSubstr("holds no snapshot"));
  fresh();
  Change(path, "DROP TABLE op_reading");
  EXPECT_THAT(WhyNotAtEnd(path), HasSubstr("no such table: op_reading"));
  fresh();
  Change(path, "UPDATE connector SET to_op = 77 WHERE connector = 0");
  EXPECT_THAT(WhyNot(path), HasSubstr("a connector leads nowhere"));
  fresh();
  Change(path, "UPDATE op SET op = op + 1000 WHERE op = 2");
  EXPECT_THAT(WhyNot(path), HasSubstr("not numbered from 0"));
  fresh();
  Change(path, "CREATE VIEW mine AS SELECT * FROM op");
  EXPECT_THAT(WhyNot(path), HasSubstr("more in it than the tables"));
}

// "decode.figure0" is 0.001 a second, of "demand" nothing is the limit, and "idle" is not known.
TEST_F(SessionReaderTest, GivesBackWhatWasBelievedLookByLook) {
  const std::string path = In("run.sluice");
  Decision decision = example::Widen(7, 0.5, 1, 2, "decode is busy");
  WriteRun(path, std::chrono::seconds(1), [](Nanos) { return 100.0; }, {{decision, Fate::kKept, {}}});
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const auto beliefs = BeliefsOf(*session, 0);
  ASSERT_TRUE(beliefs) << beliefs.error().message;
  ASSERT_EQ(beliefs->rows.size(), 11u);
  EXPECT_EQ(beliefs->columns[2], "decode.figure0");
  for (const Beliefs::Row& row : beliefs->rows) {
    ASSERT_EQ(row.values.size(), beliefs->columns.size());
    EXPECT_TRUE(std::isinf(row.values[0]) && std::isnan(row.values[1]));
    EXPECT_NEAR(row.values[2], 0.001 * Seconds(row.at), 1e-9);
    EXPECT_EQ(row.decision, row.at == std::chrono::milliseconds(500) ? 7u : 0u);
  }
}

TEST_F(SessionReaderTest, TakesBeliefsForUnknownThatAreMissingOrDamaged) {
  const std::string path = In("run.sluice");
  WriteRun(path, std::chrono::seconds(1), [](Nanos) { return 100.0; });
  Change(path,
         "UPDATE belief SET figures = CASE snapshot WHEN 1 THEN '[3]' WHEN 2 THEN '[1, 2' ELSE '{\"a\": 1}' "
         "END");
  const auto damaged = SessionReader::Open(path);
  ASSERT_TRUE(damaged);
  const auto beliefs = BeliefsOf(*damaged, 0);
  ASSERT_TRUE(beliefs) << beliefs.error().message;
  EXPECT_EQ(beliefs->rows[0].values[0], 3);
  EXPECT_TRUE(std::isnan(beliefs->rows[0].values[1]));
  EXPECT_TRUE(std::isnan(beliefs->rows[1].values[0]) && std::isnan(beliefs->rows[2].values[0]));
  Change(path, "DROP TABLE belief; DROP TABLE belief_name");
  EXPECT_EQ(WhyNotAtEnd(path), "it can be read") << "as older versions of Sluice wrote it";
  const auto older = SessionReader::Open(path);
  ASSERT_TRUE(older);
  EXPECT_TRUE(BeliefsOf(*older, 0)->rows.empty());
}

TEST_F(SessionReaderTest, BearsFiguresThatCannotBe) {
  const std::string path = In("run.sluice");
  WriteRun(path, std::chrono::seconds(3), [](Nanos) { return 100.0; });
  Change(path,
         "UPDATE snapshot SET starved_ns = -5, busy_ns = 9223372036854775807, cores = 1e999, verdict = 'x', "
         "verdict_op = 99, "
         "items = -1 WHERE number > 3;"
         "UPDATE op_reading SET busy_ns = 9223372036854775807, latency = '{\"17\": -3, \"99\": 1, \"x\"', "
         "workers = 1 << 40;"
         "UPDATE connector_reading SET depth_seconds = 'text', full_ns = 9223372036854775807 WHERE connector "
         "= 1;"
         "UPDATE knob SET kind = 'nothing', held = 'x' WHERE name = 'decode.capacity'");
  const auto session = SessionReader::Open(path);
  ASSERT_TRUE(session) << session.error().message;
  const auto view = ViewAt(*session, 0, session->pipelines()[0].moments.size() - 1, {});
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_FALSE(LiveTable(*view, {}).empty());
}

}  // namespace
}  // namespace sluice::exporters
