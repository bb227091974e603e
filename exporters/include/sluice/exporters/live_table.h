// The live table: one frame of what a terminal shows while a run goes on. Immutable functions: values in,
// lines out; drawing them in place is TerminalScreen's.
//
// Top to bottom: the run and its budget, the consumer, each op with the connector behind it, the latest
// decisions, the verdict, then what the reader may do. What could not be measured is an en dash, never 0.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

struct LiveView {
  std::string scenario;
  std::string mode;  // "tuning", "advising", "not tuning", "watching pid 4242"; may be empty
  MonoTime start{0};
  Snapshot previous;  // rates are of the time since then; best one or two seconds before `now`
  Snapshot now;
  DecisionLog decisions;
  Verdict verdict;
  std::vector<Fraction> starved_history;  // of the consumer, oldest first
  std::vector<std::string> below{};       // a line each; any bytes
};

// At most `style.height` lines, none wider than `style.width`. Columns, connector lines and old decisions
// give way in that order where there is no room; ops and the verdict stay longest.
[[nodiscard]] std::vector<std::string> LiveTable(const LiveView& view, const TextStyle& style);

}  // namespace sluice::exporters
