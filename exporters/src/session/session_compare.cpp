#include "sluice/exporters/session_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "session/settled_part.h"
#include "sluice/base/limit_words.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "text/figures.h"
#include "text/styled_line.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

using Lines = std::vector<StyledLine>;
using Pair = std::pair<std::size_t, std::size_t>;

bool Matches(const RecordedPipeline& a, const RecordedPipeline& b) {
  return a.info.name == b.info.name && a.info.rank == b.info.rank;
}

std::string FullName(const RecordedPipeline& pipeline) {
  return pipeline.info.rank ? fmt::format("{}, rank {}", pipeline.info.name, *pipeline.info.rank)
                            : pipeline.info.name;
}

// Of several of one name, as those of the epochs of a script that makes its loader anew, the last is
// compared.
std::vector<Pair> Matching(const std::vector<RecordedPipeline>& a, const std::vector<RecordedPipeline>& b) {
  if (a.size() == 1 && b.size() == 1) return {{0, 0}};
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto same = [&](const RecordedPipeline& other) { return Matches(a[i], other); };
    if (std::any_of(a.begin() + static_cast<std::ptrdiff_t>(i) + 1, a.end(), same)) continue;
    const auto found = std::find_if(b.rbegin(), b.rend(), same);
    if (found != b.rend()) pairs.emplace_back(i, static_cast<std::size_t>(b.rend() - found) - 1);
  }
  return pairs;
}

std::vector<std::string> WithoutMatch(const std::vector<RecordedPipeline>& those,
                                      const std::vector<RecordedPipeline>& others) {
  std::vector<std::string> names;
  for (const RecordedPipeline& one : those) {
    const auto same = [&](const RecordedPipeline& other) { return Matches(one, other); };
    if (std::ranges::none_of(others, same)) names.push_back(FullName(one));
  }
  return names;
}

Result<ComparedPipeline> Compare(const SessionReader& a, const SessionReader& b, const Pair& pair) {
  const bool in_batches =
      CountedInBatches(a.pipelines()[pair.first]) || CountedInBatches(b.pipelines()[pair.second]);
  auto part_a = MeasureSettled(a, pair.first, in_batches);
  if (!part_a) return std::unexpected(part_a.error());
  auto part_b = MeasureSettled(b, pair.second, in_batches);
  if (!part_b) return std::unexpected(part_b.error());
  const SessionPipeline& info = a.pipelines()[pair.first].info;
  const auto ratio = RatioOf(part_a->rate, part_b->rate);
  return ComparedPipeline{info.name, info.rank,  std::move(*part_a), std::move(*part_b),
                          ratio,     pair.first, pair.second};
}

std::string SessionLine(const char* which, const std::string& path, const SessionFacts& facts) {
  return fmt::format("{}  {}: sluice {} {}, {}", which, path, facts.verb, facts.name,
                     facts.machine.cpu.empty() ? "unknown CPU" : facts.machine.cpu);
}

std::string PartText(const SettledPart& part) {
  return fmt::format("{} to {}", ElapsedText(part.from), ElapsedText(part.to));
}

std::string ErrorText(const SettledRate& rate) {
  if (!rate.error) return "";
  return fmt::format(" ± {}", RateText(Rate{1.96 * rate.error->per_second}));
}

std::string RatioText(double value) {
  return fmt::format("{:.2f}", value);
}

std::string OverText(std::optional<Rate> a, std::optional<Rate> b) {
  return a && b && a->per_second > 0 ? RatioText(b->per_second / a->per_second) : "";
}

std::string OpName(const SettledPart& part) {
  return part.verdict.op && *part.verdict.op < part.ops.size() ? part.ops[*part.verdict.op].info.name : "";
}

std::string LimitText(const SettledPart& part) {
  return LimitWords(part.verdict.limit, OpName(part));
}

std::vector<Span> Cells(std::string what, std::string a, std::string b, std::string over) {
  const bool differ = a != b;
  return {{" "},
          {std::move(what)},
          {std::move(a)},
          {std::move(b), differ ? Tone::kStrong : Tone::kPlain},
          {std::move(over)}};
}

Lines RunTable(const ComparedPipeline& pipeline, const TextStyle& style) {
  Table table({{"", Align::kLeft}, {"", Align::kLeft}, {"A"}, {"B"}, {"B/A"}});
  const SettledPart& a = pipeline.a;
  const SettledPart& b = pipeline.b;
  table.Add(Cells("compared", PartText(a), PartText(b), ""));
  table.Add(Cells(a.rate.in_batches ? "batches/s" : "rows/s", RateText(a.rate.mean) + ErrorText(a.rate),
                  RateText(b.rate.mean) + ErrorText(b.rate),
                  pipeline.ratio ? RatioText(pipeline.ratio->value) : ""));
  table.Add(Cells("consumer starved", PercentText(a.starved), PercentText(b.starved), ""));
  table.Add(Cells("limit", LimitText(a), LimitText(b), ""));
  table.Add(Cells("changes", std::to_string(a.changes), std::to_string(b.changes), ""));
  return table.Lines(style);
}

// Those that differ; a knob that only one of them has is told, too.
Lines KnobTable(const ComparedPipeline& pipeline, const TextStyle& style) {
  Table table({{"", Align::kLeft}, {"setting that differs", Align::kLeft, 0, true}, {"A"}, {"B"}, {""}});
  const auto value = [](const std::vector<Knob>& knobs, const std::string& name) {
    const auto found = std::ranges::find(knobs, name, &Knob::name);
    return found == knobs.end() ? std::string(kMissing) : KnobValueText(found->id.kind, found->value);
  };
  bool any = false;
  const auto add = [&](const std::string& name) {
    std::string a = value(pipeline.a.knobs, name);
    std::string b = value(pipeline.b.knobs, name);
    if (a == b) return;
    any = true;
    table.Add(Cells(name, std::move(a), std::move(b), ""));
  };
  for (const Knob& knob : pipeline.a.knobs) add(knob.name);
  for (const Knob& knob : pipeline.b.knobs) {
    if (std::ranges::find(pipeline.a.knobs, knob.name, &Knob::name) == pipeline.a.knobs.end()) add(knob.name);
  }
  return any ? table.Lines(style) : Lines{};
}

std::string BothWays(const std::string& a, const std::string& b, const TextStyle& style) {
  return a == b ? a : fmt::format("{} {} {}", a, SignsFor(style).arrow, b);
}

Lines OpTable(const ComparedPipeline& pipeline, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"op", Align::kLeft, 0, true},
               {"workers"},
               {"busy"},
               {"starved", Align::kRight, 1},
               {"backed up", Align::kRight, 2},
               {"p50", Align::kRight, 3},
               {"items/s"},
               {"B/A"}});
  for (const OpRow& a : pipeline.a.ops) {
    const auto b =
        std::ranges::find(pipeline.b.ops, a.info.name, [](const OpRow& row) { return row.info.name; });
    if (b == pipeline.b.ops.end()) continue;
    table.Add({{" "},
               {a.info.name, Tone::kStrong},
               {BothWays(std::to_string(a.total.workers), std::to_string(b->total.workers), style)},
               {BothWays(PercentText(a.seen.busy), PercentText(b->seen.busy), style)},
               {BothWays(PercentText(a.seen.starved), PercentText(b->seen.starved), style)},
               {BothWays(PercentText(a.seen.backed_up), PercentText(b->seen.backed_up), style)},
               {BothWays(DurationText(a.seen.p50), DurationText(b->seen.p50), style)},
               {BothWays(RateText(a.seen.items), RateText(b->seen.items), style)},
               {OverText(a.seen.items, b->seen.items)}});
  }
  return table.Lines(style);
}

void Section(Lines& lines, Lines section) {
  if (section.empty()) return;
  lines.push_back({});
  std::ranges::move(section, std::back_inserter(lines));
}

void AddPipeline(Lines& lines, const ComparedPipeline& pipeline, bool several, const TextStyle& style) {
  lines.push_back({});
  if (several) {
    const std::string rank = pipeline.rank ? fmt::format(", rank {}", *pipeline.rank) : "";
    lines.push_back({{pipeline.name + rank, Tone::kTitle}});
  }
  for (std::string& part : Wrap(ComparisonSentence(pipeline), style.width, style))
    lines.push_back({{std::move(part), Tone::kStrong}});
  Section(lines, RunTable(pipeline, style));
  Section(lines, KnobTable(pipeline, style));
  Section(lines, OpTable(pipeline, style));
}

void AddOthers(Lines& lines, const char* which, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    lines.push_back({{fmt::format("only in {}: {}", which, name), Tone::kWarn}});
}

// "6% more rows per second than A", "8.3 times the rows per second of A".
std::string MuchText(const RateRatio& ratio) {
  if (ratio.value >= 3) return fmt::format("{:.1f} times the {} per second of A", ratio.value, ratio.what());
  return fmt::format("{} {} {} per second than A", FormatPercent({std::abs(ratio.value - 1)}),
                     ratio.value < 1 ? "fewer" : "more", ratio.what());
}

}  // namespace

std::optional<RateRatio> SessionComparison::Worst() const {
  std::optional<RateRatio> worst;
  for (const ComparedPipeline& pipeline : pipelines) {
    if (pipeline.ratio && (!worst || pipeline.ratio->value < worst->value)) worst = pipeline.ratio;
  }
  return worst;
}

Result<SessionComparison> CompareSessions(const SessionReader& a, const SessionReader& b) {
  SessionComparison comparison{.a = a.facts(), .b = b.facts(), .path_a = a.path(), .path_b = b.path()};
  const std::vector<Pair> pairs = Matching(a.pipelines(), b.pipelines());
  if (pairs.empty()) {
    return Fail(fmt::format("{} and {} have no pipeline of one name: {} and {}", a.path(), b.path(),
                            FullName(a.pipelines()[0]), FullName(b.pipelines()[0])));
  }
  for (const Pair& pair : pairs) {
    auto compared = Compare(a, b, pair);
    if (!compared) return std::unexpected(compared.error());
    comparison.pipelines.push_back(std::move(*compared));
  }
  if (a.pipelines().size() > 1 || b.pipelines().size() > 1) {
    comparison.only_a = WithoutMatch(a.pipelines(), b.pipelines());
    comparison.only_b = WithoutMatch(b.pipelines(), a.pipelines());
  }
  return comparison;
}

std::string ComparisonSentence(const RateRatio& ratio) {
  const std::string much = MuchText(ratio);
  if (!ratio.low || !ratio.high)
    return fmt::format("B makes {}; the runs are too short to say how sure that is.", much);
  const std::string interval = fmt::format("95% interval of B/A {:.3f} to {:.3f}", *ratio.low, *ratio.high);
  if (ratio.within_noise())
    return fmt::format("A and B cannot be told apart: B makes {} ({}).", much, interval);
  return fmt::format("B makes {} ({}).", much, interval);
}

std::string ComparisonSentence(const ComparedPipeline& pipeline) {
  return pipeline.ratio ? ComparisonSentence(*pipeline.ratio)
                        : "One of the two made no rows, so there is no ratio.";
}

std::string ComparisonText(const SessionComparison& comparison, const TextStyle& style) {
  Lines lines = {{{SessionLine("A", comparison.path_a, comparison.a), Tone::kDim}},
                 {{SessionLine("B", comparison.path_b, comparison.b), Tone::kDim}}};
  for (const ComparedPipeline& pipeline : comparison.pipelines)
    AddPipeline(lines, pipeline, comparison.pipelines.size() > 1, style);
  AddOthers(lines, "A", comparison.only_a);
  AddOthers(lines, "B", comparison.only_b);
  std::string text;
  for (const StyledLine& line : lines) text += Paint(line, style) + "\n";
  return text;
}

}  // namespace sluice::exporters
