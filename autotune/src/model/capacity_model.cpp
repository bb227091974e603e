#include "model/capacity_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "model/regimes.h"
#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kComputes = 0.25;  // cores; a consumer below this only hands data on ...
constexpr double kMuch = 0.05;      // ... as one below this share of all, which may be an error of the clocks
constexpr int kBisections = 20;     // of a rate: to a millionth
constexpr double kFlat = 0.1;       // so little to be had beyond a knee that was seen is the estimate's error

void Lower(Ceiling& ceiling, double rate, Limit limit, std::optional<std::size_t> op = {}) {
  if (rate < ceiling.rate) {
    ceiling.runner_up = ceiling.rate;
    ceiling.rate = rate;
    ceiling.limit = limit;
    ceiling.op = op;
  } else {
    ceiling.runner_up = std::min(ceiling.runner_up, rate);
  }
}

}  // namespace

CapacityModel::CapacityModel(ModelInput input, const AutoTuneSettings& settings)
    : input_(std::move(input)), settings_(settings) {
  slowdowns_.resize(input_.ops.size());
  for (std::size_t i = 0; i < input_.ops.size(); ++i) LearnCurve(i);
  present_cpu_ = PresentCpu();
  counts_ = CountsIn(input_.phase);
  cpu_per_item_ = CpuPerItemIn(input_.phase, counts_);
  cores_for_ops_ = CoresForOps();
  FindRates();
}

void CapacityModel::LearnCurve(std::size_t index) {
  const OpModel& op = input_.ops[index];
  const int useful = static_cast<int>(std::ceil(std::min<double>(op.most, op.cost.useful)));
  slowdowns_[index] = op.cost.curve.Slowdowns(useful);
  const int peak = slowdowns_[index].empty() ? useful : PeakOf(slowdowns_[index]);
  best_.push_back(std::clamp(peak, op.least, op.most));
  slowdown_now_.push_back(op.cost.curve.Slowdown(std::max(1.0, op.cost.busy_workers)));
}

void CapacityModel::FindRates() {
  optimum_for_.assign(input_.ops.size(), 0);
  cores_rate_for_.assign(input_.ops.size(), CoresRate());
  for (std::size_t p = 0; p < std::max<std::size_t>(input_.phases.size(), 1); ++p) {
    const std::vector<int> counts = p == input_.phase ? counts_ : CountsIn(p);
    const double optimum = CeilingIn(p, counts).rate;
    const double cores = CoresRateIn(p, counts);
    for (std::size_t i = 0; i < input_.ops.size(); ++i) {
      if (!Active(i, p)) continue;
      optimum_for_[i] = std::max(optimum_for_[i], optimum);
      cores_rate_for_[i] = std::max(cores_rate_for_[i], cores);
    }
  }
}

// Ops that slow themselves down with as few workers as make `rate`, and a few to spare.
std::vector<int> CapacityModel::JustEnough(double rate) const {
  std::vector<int> counts = best_;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!slowdowns_[i].empty() && !Locked(i))
      counts[i] = FewestFor(i, (1 + settings_.worker_headroom) * rate);
  }
  return counts;
}

// Those of the greatest rate that still finds enough cores.
std::vector<int> CapacityModel::CountsIn(std::size_t phase) const {
  const bool any = std::ranges::any_of(slowdowns_, [](const auto& curve) { return !curve.empty(); });
  double low = CoresRateIn(phase, best_);
  if (!On(Rule::kJustEnough) || !any || low > (1 + settings_.gain_to_see) * CeilingIn(phase, best_).rate)
    return best_;
  double high = CoresRateIn(phase, JustEnough(low));
  for (int step = 0; step < kBisections; ++step) {
    const double rate = (low + high) / 2;
    (CoresRateIn(phase, JustEnough(rate)) >= rate ? low : high) = rate;
  }
  return JustEnough(low);
}

double CapacityModel::Slowdown(std::size_t op, int n) const {
  const auto known = static_cast<std::size_t>(n) <= slowdowns_[op].size();
  return known ? slowdowns_[op][static_cast<std::size_t>(n) - 1] : input_.ops[op].cost.curve.Slowdown(n);
}

double CapacityModel::Service(std::size_t op, int n) const {
  return input_.ops[op].cost.service() * Slowdown(op, n) / slowdown_now_[op];
}

double CapacityModel::OpRate(std::size_t op, int n) const {
  const double service = Service(op, std::max(n, 1)) * input_.ops[op].cost.visits;
  if (n == 0) return 1 / (service + 1 / input_.demand);
  const double working = std::min<double>(n, input_.ops[op].cost.useful);
  return service > 0 ? working / service : kEndless;
}

int CapacityModel::WorkersFor(std::size_t index, double rate) const {
  const OpModel& op = input_.ops[index];
  const int best = BestWorkers(index);
  for (int n = op.least; n < best; ++n) {
    const double inside = rate * op.cost.visits * Service(index, n);
    const double wanted = (1 + settings_.worker_headroom) * inside + ToSpare(index, rate, inside);
    if (n >= std::min(wanted, MostUseful(index, inside))) return n;
  }
  return best;
}

// Where cores are the limit none may idle: any op may be the one that keeps them busy at a moment.
double CapacityModel::ToSpare(std::size_t op, double rate, double inside) const {
  const double ready = AllowedIn(input_.ops[op].cost.regime).core_headroom;
  if (!On(Rule::kCoreHeadroom) || ready == 0 || !CoresLimit(op, rate)) {
    return (On(Rule::kWaitHeadroom) ? settings_.wait_headroom : 0) * std::sqrt(Waiting(op, inside));
  }
  return ready * std::sqrt(inside);
}

bool CapacityModel::CoresLimit(std::size_t op, double rate) const {
  return rate >= (1 - settings_.worker_headroom) * cores_rate_for_[op];
}

bool CapacityModel::WastesCores(std::size_t op, int n, int enough) const {
  if (slowdowns_[op].empty() || Locked(op) || !CoresLimit(op, OptimumFor(op))) return false;
  const OpEstimate& cost = input_.ops[op].cost;
  const double more = (Slowdown(op, n) - Slowdown(op, enough)) / slowdown_now_[op];
  return cost.cpu * cost.visits * more > settings_.worthwhile_gain * cpu_per_item_;
}

double CapacityModel::Waiting(std::size_t op, double inside) const {
  const OpEstimate& cost = input_.ops[op].cost;
  return cost.service() > 0 ? inside * cost.wait / cost.service() : 0;
}

int CapacityModel::FewestFor(std::size_t op, double rate) const {
  const auto counts = std::views::iota(input_.ops[op].least, BestWorkers(op));
  const auto fewest = std::ranges::partition_point(counts, [&](int n) { return OpRate(op, n) < rate; });
  return fewest == counts.end() ? BestWorkers(op) : *fewest;
}

// A consumer that computes needs a core whenever it does; but where it is kept waiting, one worker more that
// it has to share the cores with can give it more than it takes.
double CapacityModel::CoresForOps() const {
  const double consumer = input_.other_cpu * std::min(input_.demand, CoresRate());
  const bool computes = On(Rule::kConsumerCore) && consumer > std::max(kComputes, kMuch * input_.cores);
  const double taken = computes ? std::ceil(consumer) : 0;
  const double apart = std::max(std::ceil(input_.cores - taken), 1.0);
  const bool share = On(Rule::kSharedCores) && computes &&
                     SharedRate(apart + 1, taken) > (1 + settings_.gain_to_see) * SharedRate(apart, taken);
  return share ? apart + 1 : apart;
}

// Where there are more threads than cores, each gets the same part of them.
double CapacityModel::SharedRate(double workers, double consumer_threads) const {
  const double part = std::min(1.0, input_.cores / (workers + consumer_threads));
  const double ops_cpu = cpu_per_item_ - input_.other_cpu;
  const double ops = ops_cpu > 0 ? workers * part / ops_cpu : kEndless;
  return std::min({ops, consumer_threads * part / input_.other_cpu, input_.demand});
}

// Those that compute cannot be more than there are cores: one more only takes a core from another. Those
// that wait come on top where the cores would idle without them for a share that a trial could show.
double CapacityModel::MostUseful(std::size_t op, double inside) const {
  const double cores = cores_for_ops_;
  const double waiting = Waiting(op, inside);
  if (!On(Rule::kWaitingOnTop) || waiting <= settings_.gain_to_see * cores) return cores;
  return cores + waiting + settings_.wait_headroom * std::sqrt(waiting);
}

int CapacityModel::MostUsefulWorkers(std::size_t op) const {
  int n = input_.ops[op].workers;
  while (n > 1 && FillsTheCores(op, n - 1)) --n;
  return n;
}

bool CapacityModel::FillsTheCores(std::size_t op, int n) const {
  return n >= MostUseful(op, n);
}

bool CapacityModel::CrowdsConsumer(std::size_t op, int n) const {
  return cores_for_ops_ < std::ceil(input_.cores) && n > MostUseful(op, n);
}

bool CapacityModel::Active(std::size_t op, std::size_t phase) const {
  return input_.phases.empty() || input_.phases[phase].active[op];
}

bool CapacityModel::Locked(std::size_t op) const {
  return std::ranges::find(input_.locked, op) != input_.locked.end();
}

// Who waits for a lock takes longer and computes no more.
double CapacityModel::CpuPerItemIn(std::size_t phase, const std::vector<int>& workers) const {
  double sum = input_.other_cpu;
  for (std::size_t i = 0; i < input_.ops.size(); ++i) {
    const OpEstimate& cost = input_.ops[i].cost;
    const double slower = Locked(i) ? 1 : Slowdown(i, std::max(1, workers[i])) / slowdown_now_[i];
    if (Active(i, phase)) sum += cost.cpu * cost.visits * slower;
  }
  return sum;
}

double CapacityModel::CoresRateIn(std::size_t phase, const std::vector<int>& workers) const {
  const double cpu = CpuPerItemIn(phase, workers);
  return cpu > 0 ? input_.cores / cpu : kEndless;
}

double CapacityModel::CoresRate() const {
  return cpu_per_item_ > 0 ? input_.cores / cpu_per_item_ : kEndless;
}

double CapacityModel::LockRate() const {
  double sum = 0;
  for (const std::size_t i : input_.locked) sum += input_.ops[i].cost.cpu * input_.ops[i].cost.visits;
  return On(Rule::kLock) && sum > 0 && input_.cores > 1 ? 1 / sum : kEndless;
}

double CapacityModel::PresentCpu() const {
  double sum = input_.other_cpu;
  for (std::size_t j = 0; j < input_.ops.size(); ++j) {
    if (Active(j, input_.phase)) sum += input_.ops[j].cost.cpu * input_.ops[j].cost.visits;
  }
  return sum;
}

double CapacityModel::CpuShare(std::size_t op) const {
  return present_cpu_ > 0 ? input_.ops[op].cost.cpu * input_.ops[op].cost.visits / present_cpu_ : 0;
}

double CapacityModel::ShadowPrice() const {
  const double cpu = CpuPerItem();
  return Optimum().limit == Limit::kCores && cpu > 0 ? 1 / cpu : 0;
}

Limit CapacityModel::WhyNotMore(std::size_t index, int n) const {
  const OpModel& op = input_.ops[index];
  if (op.serial) return Limit::kSerialOp;
  if (n + 1 > op.cost.useful) return Limit::kOp;
  const bool flat = OpRate(index, std::max(n, BestWorkers(index))) <= (1 + kFlat) * OpRate(index, n);
  const bool tried = op.capped && n >= op.most;
  if (!tried && (!flat || !op.cost.curve.Contended())) return Limit::kOp;
  return op.cost.reads_nothing ? Limit::kContention : AllowedIn(op.cost.regime).no_more;
}

// Those who only queue for a lock do not slow down who holds it.
int CapacityModel::Working(std::size_t op, int n) const {
  return Locked(op) ? std::min(n, best_[op]) : n;
}

Ceiling CapacityModel::CeilingIn(std::size_t phase, const std::vector<int>& workers) const {
  Ceiling ceiling{.rate = input_.demand, .limit = Limit::kConsumer, .op = {}, .runner_up = kEndless};
  const double cores = CoresRateIn(phase, workers);
  Lower(ceiling, cores, Limit::kCores);
  for (std::size_t i = 0; i < input_.ops.size(); ++i) {
    if (Active(i, phase)) Lower(ceiling, OpRate(i, Working(i, workers[i])), Limit::kOp, i);
  }
  const auto op = ceiling.op;
  if (op) ceiling.limit = WhyNotMore(*op, workers[*op]);
  // An op that fills all cores is no limit of its own.
  const bool fills =
      On(Rule::kFillsCores) && op && ceiling.limit == Limit::kOp && FillsTheCores(*op, workers[*op]);
  if (fills && cores <= (1 + settings_.gain_to_see) * ceiling.rate) {
    ceiling.limit = Limit::kCores;
    ceiling.op.reset();
  }
  if (LockRate() < (1 + settings_.worthwhile_gain) * ceiling.rate) {
    const auto heaviest =
        *std::ranges::max_element(input_.locked, {}, [&](std::size_t i) { return CpuShare(i); });
    ceiling.rate = std::min(ceiling.rate, LockRate());
    ceiling.limit = Limit::kSerialOp;
    ceiling.op = heaviest;
  }
  return ceiling;
}

Ceiling CapacityModel::With(const std::vector<int>& workers) const {
  return CeilingIn(input_.phase, workers);
}

Ceiling CapacityModel::Optimum() const {
  return With(counts_);
}

}  // namespace sluice::autotune
