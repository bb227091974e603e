#include "propose/planner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "estimate/taken_cores.h"
#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kBusy = 0.85;  // an op below this does not hold the others up
constexpr double kFewer = 1.5;  // times fewer workers are needed to see a curve
constexpr int kBisections = 30;
constexpr double kWorthwhileBuffer = 1.5;  // growth below this is lost in the estimates
constexpr double kTrimBuffers = 2;         // buffers over twice the want are trimmed ...
constexpr double kTrimmedTo = 1.5;         // ... to this much of it
constexpr double kMostOfIt = 0.9;          // of a plan's rate is worth having at once

OpModel Model(const Knob* knob, const OpInfo& info, const OpEstimate& cost, int present, int cap,
              bool advising) {
  const Range range = Allowed(knob, present, advising);
  const int most = static_cast<int>(std::min<std::int64_t>(range.most, kNoCap));
  OpModel op;
  op.cost = cost;
  op.workers = present;
  op.least = static_cast<int>(std::max<std::int64_t>(range.least, 1));
  op.most = std::max(op.least, std::min(most, cap));
  op.serial = info.serial;
  op.capped = cap < most && op.most == cap;
  return op;
}

ModelInput Input(const Snapshot& seen, const KnobIndex& knobs, const PipelineEstimate& estimate,
                 const Setting& present, const WorkerCaps& caps, double cores, bool advising) {
  ModelInput input;
  for (std::size_t i = 0; i < estimate.ops.size(); ++i) {
    input.ops.push_back(Model(knobs.WorkersOf(i), seen.graph->ops[i], estimate.ops[i], present.workers[i],
                              caps[i], advising));
  }
  input.demand = estimate.demand;
  input.cores = cores;
  input.other_cpu = estimate.other_cpu;
  input.locked = estimate.locked;
  input.phases = estimate.phases;
  input.phase = estimate.phase;
  return input;
}

// Where memory is scarce each look shares it out a little differently.
bool MattersForTheRate(const KnobChange& change) {
  const auto [less, more] = std::minmax(change.from, change.to);
  return change.knob.kind != KnobKind::kCapacity ||
         static_cast<double>(more) >= kWorthwhileBuffer * static_cast<double>(less);
}

double MemoryLimitOf(Bytes budget, const PipelineEstimate& estimate, const AutoTuneSettings& settings) {
  if (budget <= Bytes{0}) return std::numeric_limits<double>::infinity();
  const bool even = std::ranges::all_of(estimate.ops, &OpEstimate::even);
  return (even ? settings.memory_margin_even : settings.memory_margin) * static_cast<double>(budget.count);
}

std::vector<double> BytesPerItem(const PipelineEstimate& estimate) {
  std::vector<double> bytes;
  bytes.reserve(estimate.ops.size());
  for (const OpEstimate& op : estimate.ops) bytes.push_back(op.bytes);
  return bytes;
}

}  // namespace

Planner::Planner(const Snapshot& seen, const PipelineEstimate& estimate, const WorkerCaps& caps,
                 const AutoTuneSettings& settings)
    : seen_(seen),
      estimate_(estimate),
      settings_(settings),
      knobs_(seen),
      present_(InForce(seen)),
      bytes_(BytesPerItem(estimate)),
      memory_limit_(MemoryLimitOf(seen.budget.memory, estimate, settings)),
      held_(Held(present_)),
      model_(Input(seen, knobs_, estimate, present_, caps, CoresToBeHad(seen.budget.cores, estimate),
                   settings.advise),
             settings),
      in_order_(estimate.ops.size()) {}

bool Planner::MustStay(std::size_t op) const {
  const Range allowed = Allowed(knobs_.PlacementOf(op), present_.placement[op], settings_.advise);
  return allowed.least == allowed.most;
}

double Planner::Held(const Setting& setting) const {
  double held = HeldBytes(*seen_.graph, bytes_, setting);
  for (std::size_t i = 0; i < seen_.ops.size(); ++i) {
    held += static_cast<double>(seen_.ops[i].worker_memory.count) * setting.workers[i];
  }
  return held;
}

// Per op, the rate at which it and the ops before it can deliver.
std::vector<double> Planner::FedRates(const std::vector<int>& workers) const {
  std::vector<double> rates;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    double rate = model_.OpRate(i, workers[i]);
    for (const ConnectorInfo& c : seen_.graph->connectors) {
      if (c.to && Index(*c.to) == i) rate = std::min(rate, rates[Index(c.from)]);
    }
    rates.push_back(rate);
  }
  return rates;
}

double Planner::InOrder(std::size_t op, int workers) const {
  Ordering& known = in_order_[op];
  if (known.workers != workers)
    known = {workers, OrderingSlots(workers, estimate_.ops[op].variability, settings_.buffer_loss)};
  return known.slots;
}

// In items of `last`, which the consumer takes.
double Planner::LongestGap(std::size_t last, const std::vector<int>& workers) const {
  double gap = 0;
  if (!On(Rule::kHeldUpItems)) return gap;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const OpEstimate& op = estimate_.ops[i];
    if (i == last || op.visits <= 0) continue;
    gap = std::max(gap, InOrder(i, workers[i]) * estimate_.ops[last].visits / op.visits);
  }
  return gap;
}

// Where more can be made than is taken, so that the buffer is full when the demand rises or the ops become
// slower.
double Planner::TakenWhileReacting(double bytes) const {
  if (!On(Rule::kReaction) || model_.Optimum().limit != Limit::kConsumer) return 0;
  const double most = settings_.reaction_memory * memory_limit_ / std::max(bytes, 1.0);
  return std::min(estimate_.demand * Seconds(settings_.reaction), most);
}

std::vector<BufferSide> Planner::Sides(const std::vector<int>& workers) const {
  std::vector<BufferSide> sides;
  const std::vector<double> fed = FedRates(workers);
  for (std::size_t c = 0; c < seen_.graph->connectors.size(); ++c) {
    const ConnectorInfo& connector = seen_.graph->connectors[c];
    const std::size_t from = Index(connector.from);
    const double in = fed[from];
    const double out =
        connector.to ? model_.OpRate(Index(*connector.to), workers[Index(*connector.to)]) : estimate_.demand;
    BufferSide side;
    side.bytes = bytes_[from];
    side.variability =
        estimate_.ops[from].variability +
        (connector.to ? estimate_.ops[Index(*connector.to)].variability : estimate_.consumer_variability);
    side.balance =
        std::max(in, out) > 0 && std::isfinite(std::min(in, out)) ? std::min(in, out) / std::max(in, out) : 0;
    side.workers = std::max(workers[from], connector.to ? workers[Index(*connector.to)] : 1);
    side.makers = workers[from];
    side.in_order = InOrder(from, workers[from]);
    side.spread = estimate_.ops[from].variability;
    side.gap = connector.to ? 0 : std::max(LongestGap(from, workers), TakenWhileReacting(side.bytes));
    side.range = Allowed(knobs_.CapacityOf(c), present_.capacity[c], settings_.advise);
    sides.push_back(side);
  }
  return sides;
}

// Down as well where the present count is past the op's peak and the rate needs better, or where it takes
// cores that the others need.
int Planner::Grown(std::size_t op, double rate) const {
  const int now = present_.workers[op];
  const int wanted = model_.WorkersFor(op, rate);
  const double needed = (1 + settings_.worker_headroom) * rate;
  const bool contended = wanted < now && model_.OpRate(op, now) < needed &&
                         model_.OpRate(op, wanted) > (1 + settings_.worthwhile_gain) * model_.OpRate(op, now);
  const bool wastes = On(Rule::kWastedCores) && wanted < now && model_.WastesCores(op, now, wanted);
  if ((On(Rule::kContendedDown) && contended) || wastes) return wanted;
  const double jump = On(Rule::kJump) ? AllowanceOf(op).largest_jump : kAsPlanned;
  return std::max(now, static_cast<int>(std::min<double>(wanted, jump * std::max(now, 1))));
}

// With the buffers that so many workers need.
Setting Planner::WithBuffers(std::vector<int> workers) const {
  Setting target = present_;
  target.workers = std::move(workers);
  const auto sides = Sides(target.workers);
  for (std::size_t c = 0; c < sides.size(); ++c) {
    const std::int64_t wanted = WantedCapacity(sides[c], settings_.buffer_loss);
    const bool worthwhile =
        !On(Rule::kBufferStep) ||
        static_cast<double>(wanted) >= kWorthwhileBuffer * static_cast<double>(target.capacity[c]);
    if (worthwhile) target.capacity[c] = wanted;
  }
  return target;
}

Plan Planner::Grow() const {
  std::vector<int> workers;
  workers.reserve(present_.workers.size());
  for (std::size_t i = 0; i < present_.workers.size(); ++i) workers.push_back(Grown(i, model_.OptimumFor(i)));
  Plan plan = Finish(WithBuffers(workers));
  if (std::ranges::none_of(plan.changes, MattersForTheRate)) {
    plan.changes.clear();
  } else if (On(Rule::kTrimAlong) && TrimAlong(workers)) {
    plan = Finish(WithBuffers(std::move(workers)));
  }
  plan.feeds = model_.With(plan.target.workers).limit == Limit::kConsumer;
  return plan;
}

// As a trim would have it later: it is one decision. Not where that rests on few items.
bool Planner::TrimAlong(std::vector<int>& workers) const {
  std::vector<int> enough = EnoughWorkers(model_.Optimum().rate);
  for (std::size_t i = 0; i < enough.size(); ++i) {
    if (estimate_.ops[i].items < settings_.memory_items) enough[i] = present_.workers[i];
  }
  enough = Trimmed(enough);
  bool any = false;
  for (std::size_t i = 0; i < enough.size(); ++i) {
    if (workers[i] != present_.workers[i] || enough[i] == workers[i]) continue;
    workers[i] = enough[i];
    any = true;
  }
  return any;
}

// One more than the best count may be better still where it was never tried.
double Planner::Hoped() const {
  const Ceiling best = model_.Optimum();
  if (best.limit == Limit::kConsumer) return estimate_.demand;
  const bool by_curve =
      On(Rule::kRunnerUp) && (best.limit == Limit::kContention || best.limit == Limit::kStorage);
  return by_curve ? std::max(best.rate, std::min(best.runner_up, best.rate * GainOfMore(*best.op)))
                  : best.rate;
}

// By what factor a step up is expected to change the rate of an op that slows itself down.
double Planner::GainOfMore(std::size_t op) const {
  const double now = present_.workers[op];
  const double next = NextCount(op);
  const Scaling& curve = model_.input().ops[op].cost.curve;
  return next / curve.Outlook(now, next) * curve.Slowdown(now) / now;
}

int Planner::NextCount(std::size_t op) const {
  const int now = present_.workers[op];
  const auto step = AllowanceOf(op).step;
  if (!step) return now;
  return std::min(now + std::max(1, static_cast<int>(*step * now)), model_.input().ops[op].most);
}

Plan Planner::Nudge(const RateSummary& measured) const {
  if (estimate_.cores_used >= (1 - settings_.worthwhile_gain) * model_.input().cores) return Finish(present_);
  const auto busiest = static_cast<std::size_t>(
      std::ranges::max_element(estimate_.ops, {}, &OpEstimate::utilisation) - estimate_.ops.begin());
  if (AllowanceOf(busiest).needs_cores && OthersTakeCores(seen_.budget.cores, estimate_))
    return Finish(present_);
  const int now = present_.workers[busiest];
  const int most = model_.input().ops[busiest].most;
  const bool more_help =
      estimate_.ops[busiest].utilisation > kBusy && now < most && now < estimate_.ops[busiest].useful;
  if (!more_help || model_.FillsTheCores(busiest, now)) return LargerBuffers(busiest);
  if (GainOfMore(busiest) < 1 + settings_.gain_to_see) return Finish(present_);
  Setting target = present_;
  target.workers[busiest] = NextCount(busiest);
  Plan plan = Finish(std::move(target));
  plan.predicted = std::min(Hoped(), measured.mean * plan.target.workers[busiest] / now);
  return plan;
}

Plan Planner::LargerBuffers(std::size_t around) const {
  Setting target = present_;
  for (std::size_t c = 0; c < target.capacity.size(); ++c) {
    const ConnectorInfo& connector = seen_.graph->connectors[c];
    const bool beside = Index(connector.from) == around || (connector.to && Index(*connector.to) == around);
    if (beside || !connector.to) target.capacity[c] *= 2;
  }
  return Finish(std::move(target));
}

std::optional<std::size_t> Planner::BusyOp() const {
  if (CoresToBeHad(seen_.budget.cores, estimate_) < seen_.budget.cores) return std::nullopt;
  const auto busiest = static_cast<std::size_t>(
      std::ranges::max_element(estimate_.ops, {}, &OpEstimate::utilisation) - estimate_.ops.begin());
  const bool busy = estimate_.ops[busiest].utilisation > kBusy;
  return busy && present_.workers[busiest] > model_.input().ops[busiest].least ? std::optional(busiest)
                                                                               : std::nullopt;
}

bool Planner::NeverSeenWithFewer(std::size_t index) const {
  const OpEstimate& op = estimate_.ops[index];
  return !op.curve.Contended() &&
         op.fewest * kFewer > std::min(op.busy_workers, 1.0 * present_.workers[index]);
}

std::optional<Scaling::Guess> Planner::Between(std::size_t op) const {
  if (!AllowanceOf(op).step) return std::nullopt;
  return estimate_.ops[op].curve.Between(present_.workers[op]);
}

Plan Planner::Fewer(std::size_t op, int workers, double predicted) const {
  Setting target = present_;
  target.workers[op] = workers;
  Plan plan = Finish(std::move(target));
  plan.predicted = predicted;
  return plan;
}

double Planner::TrimSlack(std::size_t index) const {
  if (!On(Rule::kTrimSlack)) return AllowedIn(Regime::kUnknown).trim_slack;
  const double slack = AllowanceOf(index).trim_slack;
  const bool processes = seen_.ops[index].worker_memory > Bytes{0};
  return processes ? std::min(slack, settings_.trim_slack_processes) : slack;
}

// What `rate` needs of an op's workers, in other phases their optimum. Of an op whose phase has not come yet
// nothing is known.
int Planner::Enough(const CapacityModel& model, std::size_t op, double rate) const {
  if (estimate_.ops[op].items <= 0) return present_.workers[op];
  return std::min(present_.workers[op], model.WorkersFor(op, std::max(rate, model.OptimumFor(op))));
}

// Between the best count of a contended op and a few more its curve is least known, so the best count is
// tried soon.
bool Planner::HasMany(std::size_t op, int enough) const {
  const int now = present_.workers[op];
  if (On(Rule::kCrowdedConsumer) && now > enough && model_.CrowdsConsumer(op, now)) return true;
  return now >= TrimSlack(op) * enough + 0.5;
}

// It is one decision, whatever it covers.
std::vector<int> Planner::Trimmed(const std::vector<int>& enough) const {
  for (std::size_t i = 0; i < enough.size(); ++i) {
    if (HasMany(i, enough[i])) return enough;
  }
  return present_.workers;
}

// What other work takes it may give back: then the workers that waited for it are wanted.
std::vector<int> Planner::EnoughWorkers(double rate) const {
  std::vector<int> enough;
  enough.reserve(present_.workers.size());
  std::optional<CapacityModel> given_back;
  if (On(Rule::kTrimGivesBack) && model_.input().cores < seen_.budget.cores) {
    ModelInput input = model_.input();
    input.cores = seen_.budget.cores;
    given_back.emplace(std::move(input), settings_);
  }
  const CapacityModel& model = given_back ? *given_back : model_;
  for (std::size_t i = 0; i < present_.workers.size(); ++i) enough.push_back(Enough(model, i, rate));
  return enough;
}

Setting Planner::Enough(double rate) const {
  Setting enough = present_;
  enough.workers = EnoughWorkers(rate);
  const auto sides = Sides(Trimmed(enough.workers));
  const bool greedy = held_ > settings_.trim_memory_share * memory_limit_;
  for (std::size_t c = 0; greedy && c < sides.size(); ++c) {
    const auto wanted = static_cast<double>(WantedCapacity(sides[c], settings_.buffer_loss));
    if (static_cast<double>(present_.capacity[c]) <= kTrimBuffers * wanted) continue;
    enough.capacity[c] = static_cast<std::int64_t>(std::ceil(kTrimmedTo * wanted));
  }
  return enough;
}

// What the workers that go would have held, the buffer behind those that stay may hold: they have less to
// spare.
void Planner::MakeRoomBehind(Setting& fewer) const {
  if (!On(Rule::kTrimRoom)) return;
  const auto sides = Sides(fewer.workers);
  for (std::size_t c = 0; c < sides.size(); ++c) {
    const std::size_t from = Index(seen_.graph->connectors[c].from);
    const int gone = present_.workers[from] - fewer.workers[from];
    const std::int64_t wanted = WantedCapacity(sides[c], settings_.buffer_loss);
    fewer.capacity[c] = std::max(fewer.capacity[c], std::min(wanted, present_.capacity[c] + gone));
  }
}

Plan Planner::Trim(Setting enough) const {
  enough.workers = Trimmed(enough.workers);
  MakeRoomBehind(enough);
  return Finish(std::move(enough));
}

Plan Planner::Fit() const {
  return Finish(present_);
}

// What the memory holds serves the greatest rate when every op has just the workers that this rate keeps
// busy.
void Planner::ShedWorkers(Setting& target) const {
  const std::vector<int> wanted = target.workers;
  double low = 0;
  double high = model_.Optimum().rate;
  if (!std::isfinite(high)) high = model_.With(wanted).rate;
  for (int step = 0; step < kBisections; ++step) {
    const double rate = (low + high) / 2;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      target.workers[i] = std::min(wanted[i], model_.FewestFor(i, rate));
    }
    (Held(target) <= memory_limit_ ? low : high) = rate;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    target.workers[i] = std::min(wanted[i], model_.FewestFor(i, low));
  }
}

// What is not wanted gives way first. Workers only do where even the smallest buffers leave no room for them.
void Planner::FitMemory(Setting& target) const {
  const auto sides = Sides(target.workers);
  Setting lean = target;
  for (std::size_t c = 0; c < sides.size(); ++c) lean.capacity[c] = sides[c].range.least;
  if (On(Rule::kShedWorkers) && Held(lean) > memory_limit_) ShedWorkers(lean);
  target.workers = lean.workers;
  for (std::size_t c = 0; c < sides.size(); ++c) {
    target.capacity[c] = std::min(target.capacity[c], WantedCapacity(sides[c], settings_.buffer_loss));
  }
  std::ranges::fill(lean.capacity, 0);
  target.capacity = FitCapacities(sides, target.capacity, memory_limit_ - Held(lean));
}

// While buffers that are to shrink are still full, what grows may fill up already.
bool Planner::FitsOnTheWay(const Setting& target) const {
  Setting widest = target;
  for (std::size_t i = 0; i < widest.workers.size(); ++i) {
    widest.workers[i] = std::max(widest.workers[i], present_.workers[i]);
  }
  for (std::size_t c = 0; c < widest.capacity.size(); ++c) {
    widest.capacity[c] = std::max(widest.capacity[c], present_.capacity[c]);
  }
  return Held(widest) <= std::max(memory_limit_, held_);
}

std::vector<KnobChange> Planner::Safe(const std::vector<KnobChange>& changes) const {
  if (FitsOnTheWay(With(present_, changes))) return changes;
  std::vector<KnobChange> smaller;
  std::ranges::copy_if(changes, std::back_inserter(smaller),
                       [](const KnobChange& c) { return c.to < c.from; });
  return smaller.empty() ? changes : smaller;
}

// `target` with as much of its growth as fits beside what is still to shrink.
Setting Planner::AtOnce(const Setting& target) const {
  const auto part_way = [&](double share) {
    const auto part = [share](auto from, auto to) {
      return to <= from ? to : from + static_cast<decltype(to)>(share * static_cast<double>(to - from));
    };
    Setting setting = target;
    for (std::size_t i = 0; i < setting.workers.size(); ++i) {
      setting.workers[i] = part(present_.workers[i], target.workers[i]);
    }
    for (std::size_t c = 0; c < setting.capacity.size(); ++c) {
      setting.capacity[c] = part(present_.capacity[c], target.capacity[c]);
    }
    return setting;
  };
  double low = 0;
  double high = 1;
  for (int step = 0; step < kBisections; ++step) {
    const double share = (low + high) / 2;
    (FitsOnTheWay(part_way(share)) ? low : high) = share;
  }
  return part_way(low);
}

Plan Planner::Finish(Setting target) const {
  Plan plan;
  if (Held(target) > memory_limit_) {
    plan.short_of_memory = true;
    FitMemory(target);
  }
  if (On(Rule::kAtOnceInMemory) && !FitsOnTheWay(target)) {
    Setting at_once = AtOnce(target);
    const double most = kMostOfIt * model_.With(target.workers).rate;
    if (model_.With(at_once.workers).rate >= most) target = std::move(at_once);
  }
  plan.changes = Changes(knobs_, target, settings_.advise);
  plan.predicted = model_.With(target.workers).rate;
  plan.target = std::move(target);
  const std::vector<KnobChange> safe = Safe(plan.changes);
  plan.makes_room = safe.size() < plan.changes.size() && !settings_.advise;
  if (plan.makes_room) plan.changes = safe;
  return plan;
}

}  // namespace sluice::autotune
