#include "explain/wording.h"

#include <fmt/format.h>

#include <cmath>

#include "observe/visits.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kNamed = 6;  // more changes than this are counted, not named

std::string InWords(const Snapshot& seen, const KnobChange& change) {
  const Knob* knob = Find(seen, change.knob);
  if (change.knob.kind == KnobKind::kWorkers && change.knob.target < seen.graph->ops.size()) {
    return fmt::format("{} {} -> {}", seen.graph->ops[change.knob.target].name, change.from,
                       CountWorkers(change.to));
  }
  if (change.knob.kind == KnobKind::kPlacement && change.knob.target < seen.graph->ops.size()) {
    return fmt::format("{} {} -> {}", seen.graph->ops[change.knob.target].name,
                       PlacementText(PlacementOf(change.from)), PlacementText(PlacementOf(change.to)));
  }
  return fmt::format("{} {} -> {}", knob != nullptr ? knob->name : "a knob", change.from, change.to);
}

}  // namespace

std::string Plain(double n) {
  const double rounded = std::round(n * 100) / 100;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f}", rounded) : fmt::format("{:.2f}", rounded);
}

std::string InRows(const Graph& graph, double rate) {
  const double rows = graph.ops[LastOp(graph)].rows_per_item;
  if (rows <= 1) return FormatRate(rate) + " rows/s";
  return fmt::format("{} rows/s ({} batches/s)", FormatRate(rate * rows), FormatRate(rate));
}

std::string CountWorkers(std::int64_t n) {
  return n == 1 ? "1 worker" : fmt::format("{} workers", n);
}

std::string InWords(const Snapshot& seen, const std::vector<KnobChange>& changes) {
  std::string text;
  for (std::size_t i = 0; i < changes.size() && i < kNamed; ++i) {
    text += (i == 0 ? "" : ", ") + InWords(seen, changes[i]);
  }
  if (changes.size() > kNamed) text += fmt::format(" and {} more", changes.size() - kNamed);
  return text;
}

std::string InWords(const Graph& graph, const Shift& shift, double rate) {
  const bool more = shift.ratio > 1;
  const std::string what =
      shift.what == Watched::kCost
          ? fmt::format("{} takes {} per item", graph.ops[shift.op].name, more ? "longer" : "less time")
          : fmt::format("the consumer works {}", more ? "faster" : "more slowly");
  return fmt::format("{} than before: the present workers can give {}", what, InRows(graph, rate));
}

std::string WhyHeld(HeldBecause held) {
  switch (held) {
    case HeldBecause::kRandomDraws:
      return "random draws would come out otherwise (--repro free accepts that)";
    case HeldBecause::kOrder:
      return "rows would come in another order (--repro free accepts that)";
    case HeldBecause::kWatching:
      return "the first epoch shows whether results would change";
    case HeldBecause::kUnknown:
      return "this version of what is measured is not known well enough to change it";
    case HeldBecause::kWorkerId:
      return "rows depend on the worker that fetches them (get_worker_info)";
    case HeldBecause::kFailed:
      return "an error came after a change (--advise changes nothing)";
    case HeldBecause::kUnfit:
      return "more workers would not do the same";
    case HeldBecause::kChanges:
      return "its data set changes within an epoch, which workers would not see";
    default:
      return "nothing is to be touched";
  }
}

}  // namespace sluice::autotune
