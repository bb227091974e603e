#include "estimate/estimates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kFaded = 0.0001;  // speaks only until something new is seen
constexpr double kSameSize = 0.001;
constexpr double kIdleWorkers = 0.5;     // fewer than that may be between two items
constexpr double kUnexplained = 0.2;     // of the busy ones; fewer idle ones are no limit
constexpr double kHeldUp = 0.1;          // workers
constexpr double kWaits = 0.15;          // share of the time per item
constexpr double kLeastLocked = 0.03;    // cores; an op that uses less is no part of the story
constexpr double kLessThanACore = 0.05;  // that a lock's holder may miss ...
constexpr double kMoreThanACore = 0.03;  // ... and the clocks may show too much
constexpr double kSeveral = 0.5;     // busy workers beyond one: one alone keeps a core busy without a lock
constexpr double kStays = 0.5;       // of the evidence for a regime is enough for it to stay
constexpr double kTurns = 1;         // items per busy worker that make a look at a curve
constexpr double kSaturated = 0.7;   // busy share of the workers
constexpr double kArrivalMeans = 2;  // of the time inside the ops: items that start together arrive together
constexpr double kArrivalSigmas = 3;

double Ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

double LatestArrival(const PipelineEstimate& estimate) {
  double mean = 0;
  double variance = 0;
  for (const OpEstimate& op : estimate.ops) {
    mean += op.service();
    variance += op.variability * op.service() * op.service();
  }
  return kArrivalMeans * mean + kArrivalSigmas * std::sqrt(variance);
}

void Estimates::OpSums::Scale(double factor) {
  for (double* sum : {&seconds, &items, &bytes, &cpu, &wait, &busy, &starved, &backed_up}) *sum *= factor;
  times.Scale(factor);
}

void Estimates::OpSums::Add(const OpInterval& op, double interval_seconds) {
  seconds += interval_seconds;
  items += op.items;
  bytes += op.bytes;
  cpu += op.cpu;
  wait += op.wait;
  busy += op.busy;
  starved += op.starved;
  backed_up += op.backed_up;
  times.Add(op.latency);
}

void Estimates::ConsumerSums::Scale(double factor) {
  for (double* sum :
       {&seconds, &length, &items, &steps, &busy, &starved, &process_cpu, &op_cpu, &idle, &idle_length})
    *sum *= factor;
  times.Scale(factor);
}

Estimates::Estimates(const Graph& graph, const EstimateSettings& settings)
    : settings_(settings),
      graph_(graph),
      ops_(graph.ops.size()),
      looks_(graph.ops.size()),
      curves_(graph.ops.size()),
      found_(graph.ops.size()),
      sources_(graph.ops.size(), true),
      useful_(graph.ops.size(), kEndless),
      uneven_(graph.ops.size(), false),
      largest_(graph.ops.size(), 0),
      phases_(PhasesOf(graph).size() > 1) {
  for (const ConnectorInfo& connector : graph.connectors) {
    if (connector.to) sources_[Index(*connector.to)] = false;
  }
}

double Estimates::Keep(double items, double seconds) const {
  const double by_time = std::exp2(-seconds / Seconds(settings_.half_life));
  const double by_items = items > 0 ? std::min(1.0, settings_.memory_items / items) : 1.0;
  return std::max(by_time, by_items);
}

void Estimates::Forget() {
  known_.reset();
  ++version_;
}

void Estimates::Add(const Interval& interval, bool curves) {
  Forget();
  double op_cpu = 0;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const OpInterval& op = interval.ops[i];
    ops_[i].Scale(Keep(ops_[i].items, interval.seconds));
    NoteSize(i, op);
    ops_[i].Add(op, interval.seconds);
    op_cpu += op.cpu;
    if (sources_[i] && interval.state == Cleanliness::kClean) LearnShards(i);
    if (curves) LearnCurve(i, op, interval.seconds);
  }
  consumer_.Scale(Keep(consumer_.items, interval.seconds));
  consumer_.seconds += interval.seconds;
  const double length = std::max(interval.length, interval.seconds);
  consumer_.length += length;
  if (interval.idle) {
    consumer_.idle += *interval.idle * length;
    consumer_.idle_length += length;
  }
  consumer_.items += interval.consumer_items;
  consumer_.steps += interval.consumer_steps;
  consumer_.times.Add(interval.consumer_times);
  consumer_.busy += interval.consumer_busy;
  consumer_.starved += interval.consumer_starved;
  consumer_.process_cpu += interval.process_cpu;
  consumer_.op_cpu += op_cpu;
  FindRegimes();
}

// Time is spent before an item counts. In a short look at long items busy workers seem slow, and idle ones
// that have just finished seem fast. And where another op sets the pace, an op that happens to take longer
// has more workers busy: only those that are busy all the time tell what several workers do to each other.
void Estimates::LearnCurve(std::size_t index, const OpInterval& op, double seconds) {
  Look& look = looks_[index];
  look.seconds += seconds;
  look.items += op.items;
  look.workers += op.workers * seconds;
  look.busy += op.busy;
  look.alive += op.busy + op.starved + op.backed_up;
  look.service += op.cpu + op.wait;
  if (look.items <= 0 || look.items * look.seconds < kTurns * look.busy) return;
  const bool several = look.busy > look.seconds;
  if (!On(Rule::kSaturated) || !several || look.busy >= kSaturated * look.alive)
    curves_[index].Add(look.workers / look.seconds * look.busy / look.alive, look.service / look.items,
                       look.items);
  look = {};
}

void Estimates::NoteSize(std::size_t index, const OpInterval& op) {
  if (op.items <= 0) return;
  largest_[index] = std::max(largest_[index], op.bytes / op.items);
  if (ops_[index].items <= 0) return;
  const double before = ops_[index].bytes / ops_[index].items;
  if (std::abs(op.bytes / op.items - before) > kSameSize * before) uneven_[index] = true;
}

// A source waits for nothing but room. Workers that starve have nothing to read.
void Estimates::LearnShards(std::size_t op) {
  if (!On(Rule::kShards)) return;
  const OpSums& sums = ops_[op];
  const double idle = Ratio(sums.starved, sums.seconds);
  const double busy = Ratio(sums.busy, sums.seconds);
  const bool held_up = Ratio(sums.backed_up, sums.seconds) > kHeldUp;
  if (idle < kIdleWorkers || idle < kUnexplained * busy || held_up || sums.items < settings_.first_items)
    return;
  useful_[op] = std::max(1.0, std::round(busy));
}

void Estimates::Fade() {
  Forget();
  std::ranges::fill(looks_, Look());
  for (OpSums& op : ops_) {
    op.Scale(kFaded);
    op.times = {};  // a few old outliers would rule the new variability
  }
  consumer_.Scale(kFaded);
}

void Estimates::Reopen() {
  Fade();
  std::ranges::fill(largest_, 0);
  anew_ = true;
}

void Estimates::ForgetConsumer() {
  Forget();
  consumer_ = {};
}

void Estimates::Reanchor() {
  Forget();
  for (ScalabilityCurve& curve : curves_) curve.Reanchor();
}

OpEstimate Estimates::GetOp(std::size_t index, double visits) const {
  const OpSums& sums = ops_[index];
  const double alive = sums.busy + sums.starved + sums.backed_up;
  OpEstimate op;
  // Items that are not finished yet cost at least what has been spent on them.
  const double items = sums.items > 0 ? sums.items : std::max(1.0, Ratio(sums.busy, sums.seconds));
  op.cpu = Ratio(sums.cpu, items);
  op.wait = Ratio(sums.wait, items);
  op.bytes = Ratio(sums.bytes, sums.items);  // unfinished ones: SizeTheUnfinished
  if (phases_ && On(Rule::kPhases)) op.bytes = std::max(op.bytes, largest_[index]);
  op.even = !uneven_[index];
  op.variability = sums.times.Variability();
  op.visits = visits;
  op.items = sums.items;
  op.busy_workers = Ratio(sums.busy, sums.seconds);
  op.utilisation = Ratio(sums.busy, alive);
  op.starved = Ratio(sums.starved, alive);
  op.backed_up = Ratio(sums.backed_up, alive);
  op.useful = useful_[index];
  op.reads_nothing = graph_.ops[index].reads_nothing;
  op.regime = RegimeOf(index);
  op.fewest = curves_[index].Fewest();
  op.curve = found_[index].curve;
  return op;
}

// In this order: what a curve's shape is depends on whether the op waits, and a lock on what both say.
void Estimates::FindRegimes() {
  if (anew_) locked_.clear();
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const Found before = anew_ ? Found() : std::move(found_[i]);
    found_[i].waits = ops_[i].wait > (before.waits ? kStays : 1) * ops_[i].cpu;
    found_[i].curve =
        curves_[i].Fit(ops_[i].times.Variability(), ShapeOf(i), before.curve.Contended() ? kStays : 1);
  }
  locked_ = Locked();
  anew_ = false;
}

// Readers of a storage do not disturb each other until they have all of it.
Shape Estimates::ShapeOf(std::size_t op) const {
  const bool reads = found_[op].waits && !graph_.ops[op].reads_nothing;
  return On(Rule::kRoofline) && reads ? Shape::kRoofline : Shape::kUsl;
}

Regime Estimates::RegimeOf(std::size_t op) const {
  const bool waits = found_[op].waits;
  if (graph_.ops[op].serial) return Regime::kSerial;
  if (std::ranges::find(locked_, op) != locked_.end()) return Regime::kLocked;
  if (useful_[op] < kEndless) return Regime::kSharded;
  if (ops_[op].cpu + ops_[op].wait <= 0) return Regime::kUnknown;
  if (!found_[op].curve.Contended()) return waits ? Regime::kWaits : Regime::kComputes;
  return waits && !graph_.ops[op].reads_nothing ? Regime::kStorage : Regime::kContended;
}

bool Estimates::IsOneLock(const std::vector<std::size_t>& ops, double doubt) const {
  double cores = 0;
  double busy = 0;
  for (const std::size_t i : ops) {
    cores += Ratio(ops_[i].cpu, ops_[i].seconds);
    busy += Ratio(ops_[i].busy, ops_[i].seconds);
  }
  return cores > 1 - doubt * kLessThanACore && cores < 1 + doubt * kMoreThanACore &&
         busy > 1 + kSeveral / doubt;
}

// Those that get slower with more workers, those that wait, or all.
std::vector<std::size_t> Estimates::Locked() const {
  if (!locked_.empty() && IsOneLock(locked_, 1 / kStays)) return locked_;
  std::vector<std::size_t> contended;
  std::vector<std::size_t> waiting;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const OpSums& op = ops_[i];
    if (Ratio(op.cpu, op.seconds) < kLeastLocked) continue;
    all.push_back(i);
    const bool bends = found_[i].curve.Contended();
    if (bends) contended.push_back(i);
    if (bends || op.wait > kWaits * (op.cpu + op.wait)) waiting.push_back(i);
  }
  if (contended.empty()) return {};
  for (const auto& set : {contended, waiting, all}) {
    if (IsOneLock(set, 1)) return set;
  }
  return {};
}

// An op that has finished nothing makes items as large as what they are made from: a batch of its rows.
void Estimates::SizeTheUnfinished(PipelineEstimate& estimate) const {
  for (const ConnectorInfo& connector : graph_.connectors) {
    if (!On(Rule::kUnfinishedSizes) || !connector.to || ops_[Index(*connector.to)].items > 0) continue;
    const OpEstimate& from = estimate.ops[Index(connector.from)];
    OpEstimate& to = estimate.ops[Index(*connector.to)];
    const double taken = std::max(1.0, Ratio(from.visits, to.visits)) * from.bytes;
    const bool one_of_them = graph_.ops[Index(*connector.to)].kind == "concat";
    to.bytes = one_of_them ? std::max(to.bytes, taken) : to.bytes + taken;
  }
}

PipelineEstimate Estimates::Get(const std::vector<double>& visits) const {
  if (!known_ || known_->visits != visits) known_ = Known{visits, WorkOut(visits)};
  return known_->estimate;
}

PipelineEstimate Estimates::WorkOut(const std::vector<double>& visits) const {
  PipelineEstimate all;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    all.ops.push_back(GetOp(i, visits[i]));
    const OpSums& sums = ops_[i];
    all.queued += Ratio(std::max(0.0, sums.busy - sums.cpu - sums.wait), sums.seconds);
    all.workers += Ratio(sums.busy + sums.starved + sums.backed_up, sums.seconds);
  }
  SizeTheUnfinished(all);
  all.locked = locked_;
  const bool takes_time = consumer_.busy > 0 && consumer_.items > 0;
  const double steps = consumer_.steps > 0 ? consumer_.steps : consumer_.items;  // at least: one is under way
  all.demand = takes_time ? steps / consumer_.busy : kEndless;
  all.consumer_items = consumer_.items;
  all.consumer_variability = consumer_.times.Variability();
  all.starved = Ratio(consumer_.starved, consumer_.busy + consumer_.starved);
  all.other_cpu = Ratio(std::max(0.0, consumer_.process_cpu - consumer_.op_cpu), consumer_.items);
  // Workers go on while the consumer pauses.
  all.cores_used =
      std::max(Ratio(consumer_.process_cpu, consumer_.seconds), Ratio(consumer_.op_cpu, consumer_.length));
  if (consumer_.idle_length > 0) all.idle = consumer_.idle / consumer_.idle_length;
  all.seconds = consumer_.seconds;
  return all;
}

}  // namespace sluice::autotune
