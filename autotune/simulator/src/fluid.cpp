#include "fluid.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sluice::simulator {
namespace {

constexpr double kTellApart = 1.05;  // ceilings that are nearer than this are the same to whoever measures
constexpr double kInfinite = std::numeric_limits<double>::infinity();
// What rounding may take from a rate that is just possible.
constexpr double kRounding = 1e-9;
constexpr int kBisections = 100;

double Per(double amount) {
  return amount > 0 ? 1 / amount : kInfinite;
}

// Between whole numbers of busy workers, in proportion.
double SlowdownAt(const Contention& contention, double busy) {
  const double low = std::max(1.0, std::floor(busy));
  const double part = std::max(0.0, busy - low);
  const double at_low = Slowdown(contention, static_cast<int>(low));
  return at_low + part * (Slowdown(contention, static_cast<int>(low) + 1) - at_low);
}

bool Contends(const Contention& c) {
  return c.sigma > 0 || c.kappa > 0 || !c.table.empty();
}

}  // namespace

double HeldBytes(const std::vector<FluidOp>& ops, const std::vector<int>& workers,
                 const std::vector<std::int64_t>& capacity) {
  double bytes = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const FluidOp& op = ops[i];
    bytes +=
        op.bytes * static_cast<double>(capacity[i] + workers[i] - 1) + op.frees * workers[i] + op.gathers;
  }
  return bytes;
}

double Fluid::CoresRate() const {
  double work = p_.burn;
  std::vector<double> bound(static_cast<std::size_t>(p_.nodes), 0.0);
  for (const FluidOp& op : p_.ops) {
    work += op.visits * op.cpu;
    if (op.node >= 0) bound[static_cast<std::size_t>(op.node)] += op.visits * op.cpu;
  }
  const double busiest = *std::ranges::max_element(bound);
  return std::min(p_.cores * Per(work), p_.cores / p_.nodes * Per(busiest));
}

// With the storage at its best for each reader.
double Fluid::OpRate(const FluidOp& op) const {
  double per_reader = 0;
  for (std::size_t r = 1; r <= p_.storage_speed.size(); ++r) {
    per_reader = std::max(per_reader, p_.storage_speed[r - 1] / static_cast<double>(r));
  }
  double best = 0;
  for (int n = op.least; n <= op.most; ++n) {
    const double service = (op.cpu + op.wait) * Slowdown(op.contention, n) + op.storage / per_reader;
    best = std::max(best, n * Per(op.visits * service));
  }
  return best;
}

// More workers would be possible, but make it slower.
Limit Fluid::LimitOf(const FluidOp& op) const {
  if (op.serial) return Limit::kSerialOp;
  FluidOp fewer = op;
  fewer.most = std::max(op.least, op.most - 1);
  const bool retrograde = op.most > op.least && Contends(op.contention) && OpRate(fewer) >= OpRate(op);
  return retrograde ? Limit::kContention : Limit::kOp;
}

std::vector<Fluid::Cap> Fluid::Caps() const {
  double storage = 0;
  double locked = 0;
  std::uint32_t locker = 0;
  for (std::uint32_t i = 0; i < p_.ops.size(); ++i) {
    const FluidOp& op = p_.ops[i];
    storage += op.visits * op.storage;
    if (!op.locks) continue;
    locked += op.visits * op.cpu;
    if (op.visits * op.cpu > p_.ops[locker].visits * p_.ops[locker].cpu || !p_.ops[locker].locks) locker = i;
  }
  const double read = *std::ranges::max_element(p_.storage_speed) * Per(storage * p_.ranks);
  std::vector<Cap> caps = {{Per(p_.step), {Limit::kConsumer, {}}},
                           {read, {Limit::kStorage, {}}},
                           {CoresRate(), {Limit::kCores, {}}},
                           {Per(locked), {Limit::kSerialOp, locker}}};
  for (std::uint32_t i = 0; i < p_.ops.size(); ++i) {
    caps.push_back({OpRate(p_.ops[i]), {LimitOf(p_.ops[i]), i}});
  }
  return caps;
}

// By how much a read takes longer than at full speed, with just enough of them at once; nullopt: the
// storage is too slow. Its speed between whole numbers of reads: in proportion.
std::optional<double> Fluid::ReadStretch(double rate) const {
  double load = 0;
  for (const FluidOp& op : p_.ops) load += p_.ranks * rate * op.visits * op.storage;
  if (load <= 0) return 1;
  double before = 0;
  for (std::size_t r = 1; r <= p_.storage_speed.size(); ++r) {
    const double speed = p_.storage_speed[r - 1];
    if (load <= speed * (1 + kRounding)) {
      const double readers = static_cast<double>(r - 1) + std::min(1.0, (load - before) / (speed - before));
      return readers / load;
    }
    before = std::max(before, speed);
  }
  return std::nullopt;
}

std::optional<int> Fluid::WorkersFor(const FluidOp& op, double rate, double stretch) const {
  const double items = rate * op.visits * (1 - kRounding);
  for (int n = op.least; n <= op.most; ++n) {
    const double service = (op.cpu + op.wait) * Slowdown(op.contention, n) + op.storage * stretch;
    if (n >= items * service) return n;
  }
  return std::nullopt;
}

// Workers inside on average, of `workers` that are just enough.
double Fluid::BusyFor(const FluidOp& op, double rate, double stretch, int workers) const {
  const double items = rate * op.visits;
  double low = 0;
  double high = workers;
  for (int i = 0; i < kBisections && Contends(op.contention); ++i) {
    const double busy = (low + high) / 2;
    const double service = (op.cpu + op.wait) * SlowdownAt(op.contention, busy) + op.storage * stretch;
    (busy < items * service ? low : high) = busy;
  }
  return Contends(op.contention) ? high : items * (op.cpu + op.wait + op.storage * stretch);
}

Fluid::Needs Fluid::At(double rate) const {
  Needs needs;
  const auto fail = [&](Limit limit, std::optional<std::uint32_t> op = {}) {
    needs.broken.push_back({limit, op});
  };
  const auto stretch = ReadStretch(rate);
  if (!stretch) fail(Limit::kStorage);
  double locked = 0;
  std::uint32_t locker = 0;
  std::vector<double> bound(static_cast<std::size_t>(p_.nodes), 0.0);
  std::vector<std::int64_t> least;
  needs.cores = rate * p_.burn;
  for (std::uint32_t i = 0; i < p_.ops.size(); ++i) {
    const FluidOp& op = p_.ops[i];
    const auto workers = WorkersFor(op, rate, stretch.value_or(1));
    if (!workers) fail(LimitOf(op), i);
    const int n = workers.value_or(op.most);
    const double slow = SlowdownAt(op.contention, BusyFor(op, rate, stretch.value_or(1), n));
    const double cores = rate * op.visits * op.cpu * slow;
    needs.workers.push_back(n);
    needs.cores += cores;
    least.push_back(op.buffered);
    if (op.node >= 0) bound[static_cast<std::size_t>(op.node)] += cores;
    if (op.locks) locked += cores, locker = i;
  }
  needs.bytes = HeldBytes(p_.ops, needs.workers, least);
  const double most = p_.cores * (1 + kRounding);
  if (needs.cores > most || *std::ranges::max_element(bound) > most / p_.nodes) fail(Limit::kCores);
  if (locked > 1 + kRounding) fail(Limit::kSerialOp, locker);
  if (p_.memory > 0 && needs.bytes > p_.memory) fail(Limit::kMemory);
  return needs;
}

Optimum Fluid::Finish(double rate, const Needs& needs, const Bound& bound) const {
  Optimum optimum;
  optimum.rate = {rate};
  optimum.limit = bound.limit;
  optimum.op = bound.op;
  optimum.workers = needs.workers;
  optimum.cores = needs.cores;
  optimum.bytes = {static_cast<std::int64_t>(needs.bytes)};
  if (!std::isfinite(rate)) return optimum;
  for (const Cap& cap : Caps()) {
    if (cap.rate <= kTellApart * rate) optimum.near.push_back(cap.bound);
  }
  std::ranges::copy(At(kTellApart * rate).broken, std::back_inserter(optimum.near));
  return optimum;
}

Optimum Fluid::Solve() const {
  const std::vector<Cap> caps = Caps();
  Cap cap = caps.front();
  for (const Cap& each : caps) {
    if (each.rate < cap.rate * (1 - kRounding)) cap = each;
  }
  if (!std::isfinite(cap.rate)) return Finish(cap.rate, At(0), {Limit::kConsumer, {}});
  const Needs at_cap = At(cap.rate);
  if (at_cap.broken.empty()) return Finish(cap.rate, at_cap, cap.bound);
  double low = 0;
  double high = cap.rate;
  Needs broken = at_cap;
  for (int i = 0; i < kBisections; ++i) {
    const double rate = (low + high) / 2;
    Needs needs = At(rate);
    const bool possible = needs.broken.empty();
    if (!possible) broken = std::move(needs);
    (possible ? low : high) = rate;
  }
  return Finish(low, At(low), broken.broken.front());
}

}  // namespace sluice::simulator
