#include "sluice/autotune/depth_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "explain/wording.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr double kOften = 0.05;      // share of the consumer's time that makes waiting the story
constexpr double kClearFall = 0.35;  // of the fill, from before an op to behind it: then it is the limit
constexpr double kSeldom = 0.3;    // of the time that its connector is empty; else the consumer is not served
constexpr double kNearAll = 0.97;  // of the cores
constexpr double kHardAtWork = 0.75;  // of a core, each worker
constexpr double kHardlyAtWork = 0.35;
constexpr double kFewLooks = 5;  // half the confidence with as many looks

struct Seen {
  double fill = 0;   // mean depth, of the capacity
  double empty = 0;  // share of the time
};

// Fill before and behind an op, or before the consumer.
struct Place {
  std::optional<std::size_t> op;  // nullopt: the consumer
  double before = 1;              // of its emptiest input; 1: a source
  double behind = 0;              // of its fullest output; 0: the consumer
  bool source = false;
  [[nodiscard]] double fall() const { return before - behind; }
};

struct Look {
  const Snapshot& from;
  const Snapshot& to;
  std::size_t looks;
  std::vector<Seen> connectors;
  [[nodiscard]] double length() const { return Seconds(to.at - from.at); }
  [[nodiscard]] const Graph& graph() const { return *to.graph; }
  [[nodiscard]] const std::string& name(std::size_t op) const { return graph().ops[op].name; }
};

std::vector<Seen> SeenConnectors(const Snapshot& from, const Snapshot& to) {
  std::vector<Seen> seen;
  const double length = Seconds(to.at - from.at);
  for (std::size_t c = 0; c < std::min(from.connectors.size(), to.connectors.size()); ++c) {
    const ConnectorReading& a = from.connectors[c];
    const ConnectorReading& b = to.connectors[c];
    const auto capacity = static_cast<double>(std::max<std::uint64_t>(b.capacity, 1));
    seen.push_back({std::clamp((b.depth_seconds - a.depth_seconds) / length / capacity, 0.0, 1.0),
                    std::clamp(Seconds(b.empty - a.empty) / length, 0.0, 1.0)});
  }
  return seen;
}

// Sources first, the consumer last; ops that no connector touches are parts of others.
std::vector<Place> PlacesOf(const Look& look) {
  std::vector<Place> places;
  const auto& connectors = look.graph().connectors;
  Place consumer{.op = std::nullopt, .before = 1, .behind = 0};
  for (std::size_t op = 0; op < look.graph().ops.size(); ++op) {
    if (look.graph().IsPart(op)) continue;
    Place place{.op = op, .before = 1, .behind = 0, .source = true};
    for (std::size_t c = 0; c < look.connectors.size(); ++c) {
      if (const auto& to = connectors[c].to; to && Index(*to) == op) {
        place.before = std::min(place.before, look.connectors[c].fill);
        place.source = false;
      }
      if (Index(connectors[c].from) == op) place.behind = std::max(place.behind, look.connectors[c].fill);
    }
    places.push_back(place);
  }
  for (std::size_t c = 0; c < look.connectors.size(); ++c) {
    if (!connectors[c].to) consumer.before = std::min(consumer.before, look.connectors[c].fill);
  }
  places.push_back(consumer);
  return places;
}

// Of the connectors before the consumer: the emptiest one's.
double EmptyBeforeConsumer(const Look& look) {
  double empty = 0;
  for (std::size_t c = 0; c < look.connectors.size(); ++c) {
    if (!look.graph().connectors[c].to) empty = std::max(empty, look.connectors[c].empty);
  }
  return empty;
}

std::optional<double> StarvedShare(const Look& look) {
  const ConsumerReading& a = look.from.consumer;
  const ConsumerReading& b = look.to.consumer;
  const double starved = Seconds(b.starved - a.starved);
  const double all = starved + Seconds(b.busy - a.busy);
  return a.timed && b.timed && all > 0 ? std::optional(starved / all) : std::nullopt;
}

std::optional<double> CoresUsed(const Look& look) {
  if (!look.from.cpu_known || !look.to.cpu_known) return std::nullopt;
  return Seconds(look.to.process_cpu - look.from.process_cpu) / look.length();
}

// Of a core, by each of its workers.
std::optional<double> CpuPerWorker(const Look& look, std::size_t op) {
  const OpReading& a = look.from.ops[op];
  const OpReading& b = look.to.ops[op];
  if (!a.on_cpu || !b.on_cpu || b.workers < 1) return std::nullopt;
  return Seconds(*b.on_cpu - *a.on_cpu) / look.length() / b.workers;
}

// "the consumer", or "it" behind a clause that has named it.
std::string WaitText(const Look& look, const char* who = "the consumer") {
  if (const auto starved = StarvedShare(look))
    return fmt::format("{} waits {} of its time", who, FormatPercent({*starved}));
  return fmt::format("how long {} waits is not known, and the connector before it is empty {} of the time",
                     who, FormatPercent({EmptyBeforeConsumer(look)}));
}

std::string Depths(const Place& place) {
  const std::string behind = FormatPercent({place.behind});
  if (place.source)
    return fmt::format("what it gives is gone at once (its connector is filled to {} on average)", behind);
  return fmt::format(
      "what it takes lies ready and what it gives is gone at once (connectors filled to {} before it and "
      "{} behind it on average)",
      FormatPercent({place.before}), behind);
}

std::string Remedy(const Look& look, std::size_t op) {
  const int workers = look.to.ops[op].workers;
  const auto cpu = CpuPerWorker(look, op);
  if (!cpu) return "its CPU time is not known: try more workers while cores are free, or make it cheaper";
  const std::string used = fmt::format("{} {} {} of a core each", CountWorkers(workers),
                                       workers == 1 ? "uses" : "use", FormatPercent({std::min(*cpu, 1.0)}));
  if (look.graph().ops[op].serial) return fmt::format("{}, and it cannot have more: make it cheaper", used);
  if (*cpu >= kHardAtWork)
    return fmt::format("{}: give it more while cores are free, or make it cheaper", used);
  if (*cpu > kHardlyAtWork) return fmt::format("{}: try more of them", used);
  return fmt::format(
      "{}, so they mostly wait, for what is not known (storage, a lock, another process): find that "
      "first; more of them help against storage, not against a lock",
      used);
}

// More looks, and a clear distance to the runner-up.
Fraction ConfidenceIn(const Look& look, double clear) {
  const auto looks = static_cast<double>(look.looks);
  return {looks / (looks + kFewLooks) * std::clamp(clear, 0.0, 1.0)};
}

Verdict Unknown(std::string sentence) {
  return {.limit = Limit::kUnknown, .op = {}, .sentence = std::move(sentence), .confidence = {}};
}

Verdict Consumer(const Look& look) {
  const auto starved = StarvedShare(look);
  const double clear = starved ? 1 : 1 - EmptyBeforeConsumer(look);
  return {.limit = Limit::kConsumer,
          .op = {},
          .sentence = fmt::format("the consumer is the limit: {}; nothing to do", WaitText(look, "it")),
          .confidence = ConfidenceIn(look, clear)};
}

std::optional<Verdict> Cores(const Look& look) {
  const auto used = CoresUsed(look);
  if (!used || look.to.budget.cores <= 0 || *used < kNearAll * look.to.budget.cores) return std::nullopt;
  return Verdict{.limit = Limit::kCores,
                 .op = {},
                 .sentence = fmt::format(
                     "the cores limit the run: {} of the machine's {} are in use by its process, and "
                     "{}; make the ops cheaper or give it more cores",
                     Plain(*used), Plain(look.to.budget.cores), WaitText(look)),
                 .confidence = ConfidenceIn(look, 1)};
}

bool Served(const Look& look, const Place& most) {
  const auto starved = StarvedShare(look);
  return starved ? *starved < kOften : !most.op && EmptyBeforeConsumer(look) < kSeldom;
}

std::string UnclearSentence(const Look& look, const Place& most) {
  if (!most.op)
    return fmt::format(
        "{}, although items lie ready most of the time: what makes it wait at other times, as at the "
        "start of epochs, cannot be told from depths",
        WaitText(look));
  return fmt::format(
      "{}; no op stands out: the connectors' fill falls little by little, most at {} (from {} to {})",
      WaitText(look), look.name(*most.op), FormatPercent({most.before}), FormatPercent({most.behind}));
}

double RunnerUp(const std::vector<Place>& places, const Place& most) {
  double second = 0;
  for (const Place& place : places) {
    if (place.op != most.op) second = std::max(second, place.fall());
  }
  return second;
}

}  // namespace

Verdict DepthVerdict(const Snapshot& from, const Snapshot& to, std::size_t looks) {
  if (to.at <= from.at || !to.graph || to.graph->ops.empty())
    return Unknown(fmt::format("measuring: {} items of the consumer so far", to.consumer.items));
  const Look look{from, to, looks, SeenConnectors(from, to)};
  const std::vector<Place> places = PlacesOf(look);
  const Place most = *std::ranges::max_element(places, {}, &Place::fall);
  if (Served(look, most)) return Consumer(look);
  if (const auto cores = Cores(look)) return *cores;
  if (to.graph->ops.size() == 1 && to.ops[0].workers == 0)
    return Unknown(fmt::format("{}; which op makes it wait cannot be told: nothing is known of the ops",
                               WaitText(look)));
  if (!most.op || most.fall() < kClearFall) return Unknown(UnclearSentence(look, most));
  Verdict verdict;
  verdict.limit = to.graph->ops[*most.op].serial ? Limit::kSerialOp : Limit::kOp;
  verdict.op = static_cast<std::uint32_t>(*most.op);
  verdict.sentence = fmt::format("{} limits the run: {}; {}; {}", look.name(*most.op), Depths(most),
                                 WaitText(look), Remedy(look, *most.op));
  verdict.confidence = ConfidenceIn(look, most.fall() - RunnerUp(places, most) + 0.25);
  return verdict;
}

}  // namespace sluice::autotune
