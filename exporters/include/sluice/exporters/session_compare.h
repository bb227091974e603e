// Two recorded runs side by side: what the second does otherwise, as values and as text. Immutable functions
// over what they read.
//
// Compared is each run's settled part: from its last applied change on, but at least its last third, and not
// what came before the first item. Rates come from up to 16 windows of equal length in it; how they scatter
// says how far a ratio can be trusted. What differs from run to run and not within one, as another neighbour
// on the machine, it does not know.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/exporters/text_style.h"
#include "sluice/exporters/view_rows.h"

namespace sluice::exporters {

// Rows per second that the consumer took; batches, where their size is not known.
struct SettledRate {
  std::optional<Rate> mean{};   // nullopt: no time has passed, or the items are not known
  std::optional<Rate> error{};  // standard error of the mean; nullopt: too few windows
  int windows = 0;
  bool in_batches = false;
};

// B over A, with its 95 % interval.
struct RateRatio {
  double value = 1;
  std::optional<double> low{}, high{};
  bool in_batches = false;
  [[nodiscard]] const char* what() const { return in_batches ? "batches" : "rows"; }
  [[nodiscard]] bool within_noise() const { return low && high && *low <= 1 && 1 <= *high; }
};

struct SettledPart {
  Nanos from{0}, to{0};  // since the pipeline's first snapshot
  SettledRate rate{};
  std::optional<Fraction> starved{};  // of the consumer
  Verdict verdict{};                  // at its end
  std::vector<OpRow> ops{};           // over this part
  std::vector<Knob> knobs{};          // at its end
  int changes = 0;                    // applied in the whole run
};

struct ComparedPipeline {
  std::string name;
  std::optional<int> rank;
  SettledPart a, b;
  std::optional<RateRatio> ratio;  // nullopt: one of them made no rows
  std::size_t in_a = 0, in_b = 0;  // indices into the sessions' pipelines()
};

struct SessionComparison {
  SessionFacts a, b;
  std::string path_a, path_b;
  std::vector<ComparedPipeline> pipelines{};    // those of both; not empty
  std::vector<std::string> only_a{}, only_b{};  // names of the others
  // The least ratio of all; nullopt: none is known.
  [[nodiscard]] std::optional<RateRatio> Worst() const;
};

// Pipelines belong together by name and rank; where each run has one, by that.
[[nodiscard]] Result<SessionComparison> CompareSessions(const SessionReader& a, const SessionReader& b);

// "B makes 6% more rows per second than A (95% interval +3% to +9%)."
[[nodiscard]] std::string ComparisonSentence(const RateRatio& ratio);
// The same; where there is no ratio it says so.
[[nodiscard]] std::string ComparisonSentence(const ComparedPipeline& pipeline);
// The sentence for each pipeline, and what changed as tables. Ends with a line break.
[[nodiscard]] std::string ComparisonText(const SessionComparison& comparison, const TextStyle& style);

}  // namespace sluice::exporters
