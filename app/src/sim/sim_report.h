// The result of `sluice sim` as text and as JSON. Pure.
#pragma once
#include <string>
#include <vector>

#include "sim/sim_story.h"
#include "sluice/evaluation/run_record.h"
#include "sluice/evaluation/scores.h"
#include "sluice/exporters/text_style.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

struct SimResult {
  simulator::SimScenario scenario;
  std::string controller;
  std::uint64_t seed = 1;
  SimStory story;
  evaluation::RunRecord record;
  evaluation::Yardstick yardstick;
  evaluation::Scores scores;
  evaluation::Scores reachable;  // of the oracle's run
};

// One knob, at the start and at the end, and where the oracle has it at the end.
struct SettingRow {
  std::string name;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t oracle = 0;
};
// Workers and capacities, in the order of the knobs.
[[nodiscard]] std::vector<SettingRow> Settings(const SimResult& result);
[[nodiscard]] double ItemsOf(const evaluation::RunRecord& record);

// Entry by entry; ends with a line break.
[[nodiscard]] std::string TraceText(const SimResult& result, const exporters::TextStyle& style);
// Throughput beside the optimum's, settings beside the oracle's, all scores.
[[nodiscard]] std::string SummaryText(const SimResult& result);

// docs/evaluation.md documents every key. Grows by new keys only; anything else raises the version.
inline constexpr int kSimFormatVersion = 1;
[[nodiscard]] std::string SimJson(const SimResult& result);

}  // namespace sluice::app
