// Two recorded runs side by side as the window shows them: what B does otherwise in one sentence, both
// verdicts, a table of figures with how each differs, and both throughputs over one axis of time. What a
// colour says, a word and a glyph say as well. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/ui/compare.h"
#include "sluice/ui/place.h"
#include "sluice/ui/strip.h"
#include "sluice/ui/timeline_view.h"

namespace sluice::ui {

// What a difference means for the run.
enum class Judged : std::uint8_t {
  kUnknown = 0,  // one value is not known, or how far it scatters is not
  kSame = 1,     // no further apart than noise brings them
  kNeutral = 2,  // it differs, which is neither good nor bad
  kBetter = 3,   // B is
  kWorse = 4,
  kCount,
};
[[nodiscard]] const char* JudgedWord(Judged judged);  // "better"; empty where it is neither
[[nodiscard]] const char* JudgedGlyph(Judged judged);
[[nodiscard]] Paint JudgedPaint(Judged judged);

// One figure of both runs. What is not known is an en dash in texts.
struct CompareRow {
  std::string about{};  // "decode", "consumer", "knobs"
  std::string what{};   // "p50"
  std::string a{}, b{};
  std::string change{};  // "18% more", "the same within noise", "only in A"
  Judged judged = Judged::kUnknown;
  std::optional<double> value_a{}, value_b{};  // per second, shares, seconds, or counts
};

// Consumer, tuner, each op, and the knobs that differ.
//
// More rows per second are better, more waiting and longer items are worse; busy shares, workers and knobs
// are neither, nor are times of an op that is hardly ever busy. Rates are the same within what their interval
// allows. How far the other figures scatter is not known: shares are the same up to two points apart, times
// up to a fifth.
[[nodiscard]] std::vector<CompareRow> CompareRows(const ComparedPair& pair);
// Columns apart by tabulators: for the clipboard.
[[nodiscard]] std::string CompareText(const std::vector<CompareRow>& rows);

// What B does otherwise, at a glance.
struct Headline {
  std::string name{};  // the pipeline's; empty where there is only one
  std::string word{};  // "MORE", "WITHIN NOISE"
  std::string sentence{};
  Judged judged = Judged::kUnknown;
  std::optional<std::size_t> pair{};  // nullopt: it is about those that only one run has
};
[[nodiscard]] std::vector<Headline> Headlines(const Comparison& comparison);

struct CompareView {
  Box header{};
  std::string title{};  // which file is A and which B
  std::vector<Headline> headlines{};
  Box lines{};     // of the headlines
  float line = 0;  // the height of each
  std::size_t chosen = 0;
  Strip strip_a{}, strip_b{};  // their words begin with A and B; their figures are in the table
  Box box_a{}, box_b{};
  std::vector<CompareRow> rows{};
  Box table{};
  Box curves{};
  std::string caption{};    // what the curves are of
  TimelineView timeline{};  // a lane for A, one for B, of one scale; shaded is what is compared
};
// REQUIRES: `chosen` is one of the pairs. `until`: the curves are as they were so long after the start.
[[nodiscard]] CompareView LayOutCompare(const Comparison& comparison, std::size_t chosen,
                                        std::optional<Nanos> until, float width, float height, float scale);
// Of the longer of its runs.
[[nodiscard]] TimeRange AllOf(const ComparedPair& pair);

// What the window is called, with the change first.
[[nodiscard]] std::string CompareTitle(const Comparison& comparison, std::size_t chosen);

}  // namespace sluice::ui
