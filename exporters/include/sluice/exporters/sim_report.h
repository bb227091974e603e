// SimReport: one simulated run as a value, and its forms: text, a JSON document, and a table of beliefs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/knob.h"
#include "sluice/base/units.h"
#include "sluice/exporters/beliefs.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

// The best that could be reached from some moment on.
struct SimOptimum {
  Nanos from{0};
  Rate rate{};  // consumer items per second; infinite where nothing limits
  Limit limit = Limit::kUnknown;
  std::string op{};            // that limits; empty: none
  std::vector<int> workers{};  // the fewest per op that reach it
  double cores = 0;            // the same, on average
};

// Over the last two seconds, or since the last change where that is shorter.
struct SimMeasured {
  Rate rate{};  // consumer items per second
  std::optional<Fraction> starved{};
  std::optional<double> cores{};
  Bytes buffered{0};
  Rate optimum{};  // at this moment
};

enum class StoryKind : std::uint8_t { kEvent, kOutcome, kDecision, kVerdict };

struct StoryEntry {
  Nanos at{0};
  StoryKind kind = StoryKind::kDecision;
  SimMeasured measured{};  // with a decision
  Decision decision{};     // with a decision or a verdict
  Outcome outcome{};
  SimOptimum optimum{};  // since an event
};

// One knob, at the start and at the end, and where the oracle has it at the end.
struct SettingRow {
  std::string name{};
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t oracle = 0;
};

// docs/evaluation.md describes them.
struct ScoreRow {
  std::string key{};
  std::string meaning{};
  int decimals = 0;                         // worth showing
  std::optional<double> value{}, oracle{};  // nullopt: does not apply; infinite: never reached
};

// What is counted is counted since the tick before.
struct SimTick {
  Nanos at{0};
  std::uint64_t items = 0;
  double core_seconds = 0;
  double memory_share = 0;        // greatest share of the byte budget that was buffered
  int workers = 0;                // of all ops
  Limit limit = Limit::kUnknown;  // what the controller named, with its op; empty: none
  std::string op{};
};

struct SimReport {
  std::string scenario{};
  std::string summary{};  // of the scenario; may be empty
  std::string controller{};
  std::uint64_t seed = 1;
  double seconds = 0;
  std::uint64_t items = 0;
  double final_share = 0;         // of the optimum, at the end
  double oracle_final_share = 0;  // of the oracle's run
  std::vector<std::string> ops{};
  std::vector<Knob> knobs{};  // before the first change
  std::vector<SimOptimum> optima{};
  std::vector<SettingRow> settings{};  // workers and capacities, in the order of the knobs
  std::vector<ScoreRow> scores{};
  std::vector<StoryEntry> story{};
  std::vector<SimTick> ticks{};
  Beliefs beliefs{};  // tick by tick
};

// Entry by entry; ends with a line break.
[[nodiscard]] std::string TraceText(const SimReport& report, const TextStyle& style);
// Throughput beside the optimum's, settings beside the oracle's, all scores.
[[nodiscard]] std::string SummaryText(const SimReport& report);

// docs/evaluation.md documents every key. Grows by new keys only; anything else raises the version.
inline constexpr int kSimFormatVersion = 1;
[[nodiscard]] std::string SimJson(const SimReport& report);

}  // namespace sluice::exporters
