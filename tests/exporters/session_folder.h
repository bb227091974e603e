// A folder for session files, and short ways to write and read them, for the tests of sessions.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/example_run.h"
#include "session/session_writer.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/exporters/top_report.h"

namespace sluice::exporters {

class SessionFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-session-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string In(const std::string& name) const { return (folder_ / name).string(); }

  static SessionFacts Facts() {
    return {.verb = "run",
            .name = "jpeg \"train\"",
            .run_id = "4242-17f3",
            .version = "0.1.0",
            .machine = {"AMD EPYC 7763", 4, 1, 16_GiB},
            .started = example::kStart,
            .started_wall = std::chrono::seconds(1'800'000'000)};
  }

  // A run of one pipeline: a snapshot every 100 ms for `length`, at the rows per second that `rate` says for
  // a time.
  void WriteRun(const std::string& path, Nanos length, const std::function<double(Nanos)>& rate,
                const std::vector<LoggedDecision>& decisions = {}, SessionOptions options = {}) {
    auto writer = SessionWriter::Create(path, Facts(), options);
    ASSERT_TRUE(writer) << writer.error().message;
    std::vector<SessionEntry> entries;
    entries.emplace_back(PipelineEntry{1, {.name = "jpeg-train", .pid = 4242, .started = example::kStart}});
    for (const LoggedDecision& decision : decisions)
      entries.emplace_back(
          DecisionEntry{1, decision, std::vector<std::string>(decision.decision.changes.size(), "k")});
    double rows = 0;
    for (Nanos t{0}; t <= length; t += kTick) {
      Snapshot now = example::At(t, 100, 2);
      now.consumer.rows = static_cast<std::uint64_t>(rows);
      now.consumer.items = now.consumer.rows / 8;
      entries.emplace_back(SnapshotEntry{1, now, example::DecodeLimits(), example::Believed(t)});
      rows += rate(t) * Seconds(kTick);
      if (entries.size() < 10) continue;
      ASSERT_TRUE((*writer)->Write(entries));
      entries.clear();
    }
    ASSERT_TRUE((*writer)->Write(entries));
    ASSERT_TRUE((*writer)->Finish(example::kStart + length, Nanos(0), "finished"));
  }

  static constexpr Nanos kTick = std::chrono::milliseconds(100);
  std::filesystem::path folder_;
};

// All that a document tells of two snapshots, to compare them by.
inline std::string ToldOf(const Snapshot& from, const Snapshot& to, const Verdict& verdict,
                          const DecisionLog& decisions) {
  return TopJson({.program = "p", .from = from, .to = to, .verdict = verdict, .decisions = decisions});
}

}  // namespace sluice::exporters
