#include "sluice/ui/compare_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

using internal::kUnknown;
using internal::RateText;
using internal::ShareText;
using internal::TimeText;

constexpr double kSameShares = 0.02;  // apart
constexpr double kSameTimes = 1.2;    // one over the other: they are interpolated between powers of two
constexpr Fraction kHardlyBusy{0.05};
constexpr double kTimes = 3;  // "3.0 times" is easier to grasp than "200% more"
constexpr std::size_t kMostLines = 5;

enum class Better : std::uint8_t { kMore, kLess, kNeither };

struct Figure {
  std::optional<double> value;
  std::string text;
};
Figure Of(const std::optional<Rate>& rate) {
  return {rate ? std::optional(rate->per_second) : std::nullopt, RateText(rate)};
}
Figure Of(const std::optional<Fraction>& share) {
  return {share ? std::optional(share->value) : std::nullopt, ShareText(share)};
}
Figure Of(const std::optional<Nanos>& time) {
  return {time ? std::optional(Seconds(*time)) : std::nullopt, TimeText(time)};
}

// How far apart two values may be to be the same.
struct Noise {
  double apart = 0;
  std::optional<double> factor{};  // of one over the other; nullopt: not known
  const char* same = "about the same";

  [[nodiscard]] bool Covers(double a, double b) const {
    const auto [least, most] = std::minmax(a, b);
    return most - least <= apart || most <= least * factor.value_or(1);
  }
};

Noise OfShares() {
  return {.apart = kSameShares, .factor = 1};
}
Noise OfTimes() {
  return {.factor = kSameTimes};
}
// That of the consumer's rate is taken for the ops' rates as well: what scatters is the flow of all of it.
Noise OfRates(const ComparedPair& pair) {
  Noise noise{.same = "the same within noise"};
  if (pair.ratio && pair.high) noise.factor = *pair.high / *pair.ratio;
  return noise;
}

std::string ChangeOf(double a, double b) {
  if (a <= 0) return "more, from none";
  const double ratio = b / a;
  if (ratio >= kTimes) return fmt::format("{:.1f} times", ratio);
  return fmt::format("{} {}", FormatPercent({std::abs(ratio - 1)}), ratio < 1 ? "less" : "more");
}

CompareRow RowOf(std::string about, std::string what, Figure a, Figure b, Better better, const Noise& noise) {
  CompareRow row{.about = std::move(about),
                 .what = std::move(what),
                 .a = std::move(a.text),
                 .b = std::move(b.text),
                 .change = kUnknown,
                 .value_a = a.value,
                 .value_b = b.value};
  if (!a.value || !b.value) return row;
  if (noise.Covers(*a.value, *b.value)) {
    row.change = *a.value == *b.value ? "the same" : noise.same;
    row.judged = Judged::kSame;
    return row;
  }
  row.change = ChangeOf(*a.value, *b.value);
  if (!noise.factor) return row;
  const bool more = *b.value > *a.value;
  row.judged = better == Better::kNeither          ? Judged::kNeutral
               : more == (better == Better::kMore) ? Judged::kBetter
                                                   : Judged::kWorse;
  return row;
}

CompareRow CountRow(std::string about, std::string what, std::int64_t a, std::int64_t b) {
  return {.about = std::move(about),
          .what = std::move(what),
          .a = fmt::format("{}", a),
          .b = fmt::format("{}", b),
          .change = a == b ? "the same" : fmt::format("{} {}", std::abs(b - a), b > a ? "more" : "fewer"),
          .judged = a == b ? Judged::kSame : Judged::kNeutral,
          .value_a = static_cast<double>(a),
          .value_b = static_cast<double>(b)};
}

CompareRow OnlyInOne(std::string about, std::string what, const std::string& value, bool in_a) {
  return {.about = std::move(about),
          .what = std::move(what),
          .a = in_a ? value : kUnknown,
          .b = in_a ? kUnknown : value,
          .change = in_a ? "only in A" : "only in B",
          .judged = Judged::kNeutral};
}

const char* RateUnit(const ComparedPair& pair) {
  return pair.in_batches ? "batches/s" : "rows/s";
}

CompareRow RateRow(const ComparedPair& pair) {
  return RowOf("consumer", RateUnit(pair), Of(pair.a.rate), Of(pair.b.rate), Better::kMore, OfRates(pair));
}

std::vector<std::string> OpNames(const Scene& scene) {
  std::vector<std::string> names;
  names.reserve(scene.ops.size());
  for (std::size_t op = 0; op < scene.ops.size(); ++op) names.push_back(internal::OpName(scene, op));
  return names;
}

bool HardlyBusy(const OpFigures& op) {
  return op.busy && *op.busy < kHardlyBusy;
}

void AddOp(std::vector<CompareRow>& rows, const ComparedPair& pair, const std::string& name, std::size_t a,
           std::size_t b) {
  const OpFigures& in_a = pair.a.scene.ops[a];
  const OpFigures& in_b = pair.b.scene.ops[b];
  const Better shorter = HardlyBusy(in_a) && HardlyBusy(in_b) ? Better::kNeither : Better::kLess;
  rows.push_back(RowOf(name, "items/s", Of(in_a.items), Of(in_b.items), Better::kMore, OfRates(pair)));
  rows.push_back(RowOf(name, "busy", Of(in_a.busy), Of(in_b.busy), Better::kNeither, OfShares()));
  rows.push_back(RowOf(name, "p50", Of(in_a.p50), Of(in_b.p50), shorter, OfTimes()));
  rows.push_back(RowOf(name, "p99", Of(in_a.p99), Of(in_b.p99), shorter, OfTimes()));
  rows.push_back(CountRow(name, "workers", pair.a.scene.now.ops[a].workers, pair.b.scene.now.ops[b].workers));
}

void AddOps(std::vector<CompareRow>& rows, const ComparedPair& pair) {
  const auto names_a = OpNames(pair.a.scene), names_b = OpNames(pair.b.scene);
  for (std::size_t a = 0; a < names_a.size(); ++a) {
    const auto b = std::ranges::find(names_b, names_a[a]);
    if (b == names_b.end()) {
      rows.push_back(OnlyInOne(names_a[a], "op", "there", true));
    } else {
      AddOp(rows, pair, names_a[a], a, static_cast<std::size_t>(b - names_b.begin()));
    }
  }
  for (const std::string& name : names_b) {
    if (std::ranges::find(names_a, name) == names_a.end())
      rows.push_back(OnlyInOne(name, "op", "there", false));
  }
}

void AddKnobs(std::vector<CompareRow>& rows, const ComparedPair& pair) {
  const auto& knobs_a = pair.a.scene.now.knobs;
  const auto& knobs_b = pair.b.scene.now.knobs;
  for (const Knob& knob : knobs_a) {
    const auto other = std::ranges::find(knobs_b, knob.name, &Knob::name);
    if (other == knobs_b.end()) {
      rows.push_back(OnlyInOne("knobs", knob.name, KnobValueText(knob.id.kind, knob.value), true));
    } else if (other->value != knob.value) {
      rows.push_back(CountRow("knobs", knob.name, knob.value, other->value));
    }
  }
  for (const Knob& knob : knobs_b) {
    if (std::ranges::find(knobs_a, knob.name, &Knob::name) == knobs_a.end())
      rows.push_back(OnlyInOne("knobs", knob.name, KnobValueText(knob.id.kind, knob.value), false));
  }
}

std::string WordOf(const CompareRow& rate, const ComparedPair& pair) {
  if (!pair.ratio) return "NO RATIO";
  if (rate.judged == Judged::kSame) return "WITHIN NOISE";
  if (rate.judged == Judged::kUnknown) return "NOT SURE";
  return rate.judged == Judged::kBetter ? "MORE" : "LESS";
}

void AddOthers(std::vector<Headline>& lines, const char* word, const std::vector<std::string>& names) {
  if (names.empty()) return;
  lines.push_back(
      {.word = word, .sentence = fmt::format("{}", fmt::join(names, "; ")), .judged = Judged::kNeutral});
}

Strip StripOf(const char* which, const ComparedRun& run) {
  Strip strip = MakeStrip(run.scene);
  strip.word = fmt::format("{}: {}", which, strip.word);
  strip.figures.clear();
  return strip;
}

TimelineView CurvesOf(const ComparedPair& pair, std::optional<Nanos> until, Box room, float scale) {
  std::vector<RateLane> lanes;
  for (const auto& [name, run] : {std::pair("A", &pair.a), std::pair("B", &pair.b)}) {
    const MonoTime start = run->scene.start;
    lanes.push_back({.name = name,
                     .value = RateText(run->rate),
                     .curve = &run->rates,
                     .part = {run->scene.from - start, run->scene.now.at - start}});
  }
  return LayOutRates(lanes, AllOf(pair), until, room, scale);
}

void Place(CompareView& view, float width, float height, float s) {
  const float gap = 8 * s, wide = std::max(width - 2 * gap, 1.0F);
  view.header = {gap, gap, wide, 26 * s};
  view.line = (view.headlines.size() == 1 ? 44 : 28) * s;
  const auto shown = static_cast<float>(std::min(view.headlines.size(), kMostLines));
  view.lines = {gap, view.header.bottom() + gap, wide, view.line * shown};
  view.box_a = {gap, view.lines.bottom() + gap, (wide - gap) / 2, 104 * s};
  view.box_b = view.box_a;
  view.box_b.x = view.box_a.right() + gap;
  const float top = view.box_a.bottom() + gap;
  view.table = {gap, top, wide * 0.6F, std::max(height - top - gap, 1.0F)};
  view.curves = {view.table.right() + gap, top, wide - view.table.width - gap, view.table.height};
}

}  // namespace

const char* JudgedWord(Judged judged) {
  switch (judged) {
    case Judged::kBetter:
      return "better";
    case Judged::kWorse:
      return "worse";
    case Judged::kUnknown:
      return "not known";
    default:
      return "";
  }
}

const char* JudgedGlyph(Judged judged) {
  switch (judged) {
    case Judged::kSame:
      return "=";
    case Judged::kNeutral:
      return "\u2022";
    case Judged::kBetter:
      return "\u2713";
    case Judged::kWorse:
      return "\u00D7";
    default:
      return "?";
  }
}

Paint JudgedPaint(Judged judged) {
  switch (judged) {
    case Judged::kBetter:
      return Paint::kGood;
    case Judged::kWorse:
      return Paint::kBad;
    case Judged::kNeutral:
      return Paint::kText;
    default:
      return Paint::kFaint;
  }
}

std::vector<CompareRow> CompareRows(const ComparedPair& pair) {
  std::vector<CompareRow> rows{RateRow(pair),
                               RowOf("consumer", "waiting", Of(pair.a.scene.consumer.starved),
                                     Of(pair.b.scene.consumer.starved), Better::kLess, OfShares())};
  rows.push_back(CountRow("tuner", "changes", pair.a.changes, pair.b.changes));
  AddOps(rows, pair);
  AddKnobs(rows, pair);
  return rows;
}

std::string CompareText(const std::vector<CompareRow>& rows) {
  std::string text = "of\tfigure\tA\tB\tchange\tB is\n";
  for (const CompareRow& row : rows) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", row.about, row.what, row.a, row.b, row.change,
                        JudgedWord(row.judged));
  }
  return text;
}

std::vector<Headline> Headlines(const Comparison& comparison) {
  std::vector<Headline> lines;
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    const ComparedPair& pair = comparison.pairs[i];
    const CompareRow rate = RateRow(pair);
    lines.push_back({.name = comparison.pairs.size() > 1 ? pair.name : "",
                     .word = WordOf(rate, pair),
                     .sentence = pair.sentence,
                     .judged = pair.ratio ? rate.judged : Judged::kUnknown,
                     .pair = i});
  }
  AddOthers(lines, "ONLY IN A", comparison.only_a);
  AddOthers(lines, "ONLY IN B", comparison.only_b);
  return lines;
}

TimeRange AllOf(const ComparedPair& pair) {
  return {Nanos(0), std::max(pair.a.length, pair.b.length)};
}

CompareView LayOutCompare(const Comparison& comparison, std::size_t chosen, std::optional<Nanos> until,
                          float width, float height, float scale) {
  SLUICE_CHECK(chosen < comparison.pairs.size());
  const ComparedPair& pair = comparison.pairs[chosen];
  CompareView view{.title = fmt::format("A  {}     B  {}     {}", comparison.a, comparison.b, pair.name),
                   .headlines = Headlines(comparison),
                   .chosen = chosen,
                   .strip_a = StripOf("A", pair.a),
                   .strip_b = StripOf("B", pair.b),
                   .rows = CompareRows(pair),
                   .caption = fmt::format("{}; shaded is what is compared",
                                          pair.in_batches ? "batches per second" : "rows per second")};
  Place(view, width, height, scale);
  const float caption = 24 * scale;
  view.timeline = CurvesOf(pair, until,
                           {view.curves.x, view.curves.y + caption, view.curves.width,
                            std::max(view.curves.height - caption, 1.0F)},
                           scale);
  return view;
}

std::string CompareTitle(const Comparison& comparison, std::size_t chosen) {
  const ComparedPair& pair = comparison.pairs.at(chosen);
  return fmt::format("{} {} \u2013 A {}, B {} \u2013 {} \u2013 Sluice", RateUnit(pair), RateRow(pair).change,
                     comparison.a, comparison.b, pair.name);
}

}  // namespace sluice::ui
