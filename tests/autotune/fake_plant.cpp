#include "autotune/fake_plant.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune::testing {
namespace {

constexpr double kStep = 0.0002;
constexpr double kTick = 0.2;
constexpr double kNothing = 1e-12;

std::shared_ptr<const Graph> GraphOf(const std::vector<FakeOp>& ops) {
  Graph graph;
  for (const FakeOp& op : ops) {
    graph.ops.push_back({op.name, graph.ops.empty() ? "source" : "map", op.serial, op.rows_per_item});
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const bool last = i + 1 == ops.size();
    graph.connectors.push_back({ops[i].name + "->" + (last ? "consumer" : ops[i + 1].name), OpId(i),
                                last ? std::nullopt : std::optional(OpId(i + 1))});
  }
  return std::make_shared<const Graph>(std::move(graph));
}

}  // namespace

FakePlant::FakePlant(const std::vector<FakeOp>& ops, double step_ms, FakeMachine machine)
    : step_ms_(step_ms),
      machine_(machine),
      rng_(machine.seed),
      jitter_(machine.seed, 1),
      graph_(GraphOf(ops)) {
  for (const FakeOp& info : ops) {
    LiveOp op;
    op.info = info;
    op.wanted = info.workers;
    op.workers.resize(static_cast<std::size_t>(info.workers));
    if (info.pinned) pinned_.push_back({KnobKind::kWorkers, static_cast<std::uint32_t>(ops_.size())});
    LiveConnector connector;
    connector.capacity = info.capacity;
    ops_.push_back(std::move(op));
    connectors_.push_back(connector);
  }
}

double FakePlant::RowsPerItem(std::size_t i) const {
  const double before = i == 0 ? ops_[0].info.rows_per_item : ops_[i - 1].info.rows_per_item;
  return i == 0 ? 1 : std::max(1.0, ops_[i].info.rows_per_item / before);
}

void FakePlant::Jitter() {
  if (now_ < next_jitter_) return;
  next_jitter_ = now_ + 0.1;
  for (LiveOp& op : ops_) op.speed = std::exp(-machine_.noise * jitter_.Normal());
}

void FakePlant::Resize(LiveOp& op) {
  const auto wanted = static_cast<std::size_t>(op.wanted);
  while (op.workers.size() < wanted) op.workers.emplace_back();
  for (std::size_t w = op.workers.size(); w-- > wanted;) {
    const Worker& worker = op.workers[w];
    if (!worker.serving && worker.gathered == 0) op.workers.erase(op.workers.begin() + static_cast<long>(w));
  }
}

bool FakePlant::Begin(std::size_t i, Worker& worker, double& starved_for, double& backed_up_for,
                      double left) {
  LiveOp& op = ops_[i];
  LiveConnector& out = connectors_[i];
  const auto index = static_cast<std::int64_t>(&worker - op.workers.data());
  if (index >= op.wanted && worker.gathered == 0) return false;
  const auto needed = static_cast<std::uint32_t>(RowsPerItem(i));
  while (i > 0 && worker.gathered < needed && connectors_[i - 1].depth > 0) {
    --connectors_[i - 1].depth;
    ++connectors_[i - 1].reading.popped;
    ++worker.gathered;
  }
  if (i > 0 && worker.gathered < needed) {
    starved_for = left;
    return false;
  }
  if (static_cast<std::int64_t>(out.depth + out.reserved) >= out.capacity + op.wanted - 1) {
    backed_up_for = left;
    return false;
  }
  ++out.reserved;
  ++op.inside;
  worker.gathered = 0;
  worker.serving = true;
  worker.spent = 0;
  const double s = op.info.spread;
  const double sigma = std::sqrt(std::log1p(s * s));
  const double drawn = s > 0 ? std::exp(sigma * rng_.Normal() - sigma * sigma / 2) : 1.0;
  const double factor = drawn * op.info.slowdown(op.inside) / op.speed * 1e-3;
  worker.cpu_left = op.info.cpu_ms * factor;
  worker.wait_left = op.info.wait_ms * factor;
  return true;
}

void FakePlant::End(std::size_t i, Worker& worker) {
  LiveOp& op = ops_[i];
  worker.serving = false;
  --op.inside;
  --connectors_[i].reserved;
  ++connectors_[i].depth;
  ++connectors_[i].reading.pushed;
  ++op.reading.items;
  op.reading.bytes += Bytes{op.info.bytes};
  const auto bucket = static_cast<std::size_t>(std::max(0.0, std::log2(std::max(1.0, worker.spent * 1e9))));
  ++op.reading.latency[std::min(bucket, kLatencyBuckets - 1)];
}

void FakePlant::AdvanceWorker(std::size_t i, Worker& worker, double dt, double share) {
  LiveOp& op = ops_[i];
  double left = dt;
  while (left > kNothing) {
    double starved_for = 0;
    double backed_up_for = 0;
    if (!worker.serving && !Begin(i, worker, starved_for, backed_up_for, left)) {
      op.starved += starved_for;
      op.backed_up += backed_up_for;
      return;
    }
    const double waits = std::min(left, worker.wait_left);
    worker.wait_left -= waits;
    const double runs = std::min(left - waits, worker.cpu_left / share);
    worker.cpu_left = std::max(0.0, worker.cpu_left - runs * share);
    op.cpu += runs * share;
    op.runnable += runs * (1 - share);
    op.busy += waits + runs;
    worker.spent += waits + runs;
    left -= waits + runs;
    if (worker.wait_left <= kNothing && worker.cpu_left <= kNothing) End(i, worker);
  }
}

void FakePlant::AdvanceOp(std::size_t i, double dt, double share) {
  Resize(ops_[i]);
  for (std::size_t w = 0; w < ops_[i].workers.size(); ++w) AdvanceWorker(i, ops_[i].workers[w], dt, share);
}

void FakePlant::AdvanceConsumer(double dt) {
  double left = dt;
  LiveConnector& last = connectors_.back();
  while (left > kNothing) {
    if (!stepping_) {
      if (last.depth == 0) {
        consumer_waits_ += left;
        return;
      }
      --last.depth;
      ++last.reading.popped;
      ++consumer_.items;
      consumer_.rows += ops_.back().info.rows_per_item;
      stepping_ = true;
      step_left_ = step_ms_ * 1e-3;
    }
    const double runs = std::min(left, step_left_);
    step_left_ -= runs;
    consumer_busy_ += runs;
    left -= runs;
    stepping_ = step_left_ > kNothing;
  }
}

void FakePlant::Advance(double dt) {
  Jitter();
  double runnable = 0;
  for (const LiveOp& op : ops_) {
    for (const Worker& worker : op.workers)
      runnable += worker.serving && worker.wait_left <= kNothing ? 1 : 0;
  }
  const double share = std::min(1.0, machine_.cores / std::max(1.0, runnable));
  AdvanceConsumer(dt);
  for (std::size_t i = ops_.size(); i-- > 0;) AdvanceOp(i, dt, share);
  double held = 0;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const LiveConnector& c = connectors_[i];
    held += static_cast<double>(ops_[i].info.bytes) * static_cast<double>(c.depth + c.reserved);
  }
  peak_ = std::max(peak_, held);
  now_ += dt;
}

double FakePlant::CouldHold() const {
  double held = 0;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    held += static_cast<double>(ops_[i].info.bytes) *
            static_cast<double>(connectors_[i].capacity + ops_[i].wanted);
  }
  return held;
}

Knob FakePlant::KnobFor(KnobKind kind, std::size_t i) const {
  const LiveOp& op = ops_[i];
  const bool workers = kind == KnobKind::kWorkers;
  Knob knob;
  knob.id = {kind, static_cast<std::uint32_t>(i)};
  knob.name = op.info.name + (workers ? ".workers" : ".capacity");
  knob.value = knob.requested = workers ? op.wanted : connectors_[i].capacity;
  knob.max = workers ? (op.info.serial ? 1 : op.info.most_workers) : 1024;
  knob.holder = std::ranges::count(pinned_, knob.id) > 0 ? Holder::kUser : Holder::kAuto;
  return knob;
}

Snapshot FakePlant::Sense() {
  for (double until = now_ + kTick - kStep / 2; now_ < until;) Advance(kStep);
  Snapshot seen;
  seen.at = FromSeconds(now_);
  seen.graph = graph_;
  double cpu = 0;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    LiveOp& op = ops_[i];
    op.reading.busy = FromSeconds(op.busy);
    op.reading.starved = FromSeconds(op.starved);
    op.reading.backed_up = FromSeconds(op.backed_up);
    if (machine_.measures_cpu) op.reading.on_cpu = FromSeconds(op.cpu);
    if (machine_.measures_cpu) op.reading.runnable = FromSeconds(op.runnable);
    op.reading.workers = static_cast<int>(op.workers.size());
    cpu += op.cpu;
    seen.ops.push_back(op.reading);
    ConnectorReading reading = connectors_[i].reading;
    reading.depth = connectors_[i].depth;
    reading.capacity = static_cast<std::uint64_t>(connectors_[i].capacity);
    seen.connectors.push_back(reading);
    seen.knobs.push_back(KnobFor(KnobKind::kWorkers, i));
    seen.knobs.push_back(KnobFor(KnobKind::kCapacity, i));
  }
  consumer_.busy = FromSeconds(consumer_busy_);
  consumer_.starved = FromSeconds(consumer_waits_);
  seen.consumer = consumer_;
  seen.budget = {machine_.cores, machine_.memory};
  if (machine_.measures_cpu) seen.process_cpu = FromSeconds(cpu);
  return seen;
}

void FakePlant::Act(const Decision& decision) {
  if (decision.advice) return;
  for (const KnobChange& change : decision.changes) {
    if (change.knob.kind == KnobKind::kWorkers) ops_[change.knob.target].wanted = change.to;
    if (change.knob.kind == KnobKind::kCapacity) connectors_[change.knob.target].capacity = change.to;
  }
}

void FakePlant::SetByUser(KnobId id, std::int64_t value) {
  pinned_.push_back(id);
  Decision decision;
  decision.changes = {{id, 0, value}};
  Act(decision);
}

}  // namespace sluice::autotune::testing
