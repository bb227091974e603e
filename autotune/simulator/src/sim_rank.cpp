#include "sim_rank.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sluice/base/check.h"

namespace sluice::simulator {
namespace {

double PerSecond(double amount, double rate) {
  return rate > 0 ? amount / rate : 0;
}

std::size_t BucketOf(double seconds) {
  const auto ns = static_cast<std::uint64_t>(std::max(1.0, seconds * 1e9));
  return std::min<std::size_t>(std::bit_width(ns) - 1, kLatencyBuckets - 1);
}

}  // namespace

SimRank::Op SimRank::MakeOp(const SimScenario& scenario, std::size_t i, std::uint64_t seed,
                            std::uint32_t rank) {
  const SimOp& info = scenario.ops[i];
  const SimStorage& storage = scenario.storage;
  const double read =
      PerSecond(static_cast<double>(info.read.count), static_cast<double>(storage.bandwidth.count));
  Op op{.info = &info,
        .inputs = InputsOf(scenario, i),
        .wait = SimDraw(info.wait),
        .burn = SimDraw(info.burn),
        .read = SimDraw(Distribution::Kind::kLognormal, read, info.read_cv),
        .dear = SimDear(info.dear_share, info.dear_factor),
        .rng = Rng(seed, rank, i, 1),
        .clock = {},
        .cpu = CpuClock(scenario.machine.nodes),
        .gathering = {},
        .mixed = {},
        .latency = {}};
  op.storage_fixed = PerSecond(info.requests, storage.request_rate);
  op.target = info.workers;
  return op;
}

SimRank::SimRank(const SimScenario& scenario, std::uint32_t number, std::uint64_t seed, SimMachine& machine,
                 SimMemory& memory)
    : scenario_(scenario),
      number_(number),
      load_(scenario.machine.load.empty() ? 1 : scenario.machine.load[number]),
      machine_(machine),
      memory_(memory),
      behind_(scenario.ops.size(), static_cast<std::uint32_t>(scenario.ops.size())),
      consumer_{.step = SimDraw(scenario.consumer.step),
                .burn = SimDraw(scenario.consumer.burn),
                .rng = Rng(seed, number, scenario.ops.size(), 1),
                .clock = {},
                .cpu = CpuClock(scenario.machine.nodes)},
      dirty_(scenario.ops.size() / kWord + 1, 0) {
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    ops_.push_back(MakeOp(scenario, i, seed, number));
    for (const std::uint32_t input : ops_[i].inputs) behind_[input] = static_cast<std::uint32_t>(i);
    const SimOp& info = scenario.ops[i];
    connectors_.emplace_back(static_cast<std::uint64_t>(info.capacity),
                             static_cast<std::uint64_t>(info.workers), info.ordered);
    StartWorkers(i);
  }
  consumer_.clock.Set(0, 0, 1, IdleReason::kStarved);
}

std::uint32_t SimRank::NewJob(std::uint32_t op) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.emplace_back();
  }
  const std::uint32_t job = free_.back();
  free_.pop_back();
  jobs_[job] = Job{.op = op, .start = machine_.now(), .item = {}};
  return job;
}

void SimRank::Hold(std::int64_t bytes) {
  held_ += bytes;
  memory_.held += bytes;
  held_peak_ = std::max(held_peak_, held_);
}

std::optional<std::size_t> SimRank::LastDirty() const {
  for (std::size_t word = dirty_.size(); word-- > 0;) {
    if (dirty_[word] != 0) return word * kWord + static_cast<std::size_t>(std::bit_width(dirty_[word]) - 1);
  }
  return std::nullopt;
}

// From the consumer to the sources: whoever takes makes room for the op before it in the same round.
void SimRank::Settle() {
  while (!down_) {
    const auto op = LastDirty();
    if (!op) return;
    dirty_[*op / kWord] &= ~(std::uint64_t{1} << *op % kWord);
    *op == ops_.size() ? FillConsumer() : Fill(*op);
  }
}

bool SimRank::Blocked(const Op& op, IdleReason& why, std::size_t index) const {
  why = IdleReason::kBackedUp;
  if (!connectors_[index].HasRoom()) return true;
  why = IdleReason::kStarved;
  return op.info->shards > 0 && op.busy >= op.info->shards;
}

void SimRank::StartWorkers(std::size_t index) {
  Op& op = ops_[index];
  op.ready = std::min(op.ready, op.target);
  if (op.info->startup.count() == 0) op.ready = op.target;
  for (; op.ready + op.starting < op.target; ++op.starting) {
    const std::uint32_t id = NewJob(static_cast<std::uint32_t>(index));
    jobs_[id].phase = Phase::kStarting;
    machine_.Wait(Token(id), Seconds(op.info->startup));
  }
  Wake(index);
}

void SimRank::EndStartUp(std::size_t index) {
  Op& op = ops_[index];
  --op.starting;
  op.ready = std::min(op.ready + 1, op.target);
  Wake(index);
}

void SimRank::Fill(std::size_t index) {
  Op& op = ops_[index];
  IdleReason why = IdleReason::kStarved;
  while (op.busy < op.ready && !Blocked(op, why, index) && Gather(index)) Start(index);
  op.clock.Set(machine_.now(), op.busy, std::max(0, op.ready - op.busy), why);
}

// Without order an epoch's end would overtake its rows: it waits until all before it are through, and all
// behind it until it is.
bool SimRank::MayStart(const Op& op, bool last) const {
  return op.info->ordered || (!op.mark_out && !(last && op.busy > 0));
}

bool SimRank::MayTake(const Op& op, std::uint32_t input) const {
  return connectors_[input].Ready() && MayStart(op, connectors_[input].Front().last);
}

SimItem SimRank::Take(std::uint32_t input) {
  Wake(input);
  return connectors_[input].Pop(machine_.now());
}

// True: op.gathering is what the next job works on.
bool SimRank::Gather(std::size_t index) {
  Op& op = ops_[index];
  switch (op.info->kind) {
    case SimKind::kRange:
      return Emit(op);
    case SimKind::kSynthetic:
      return GatherOne(op);
    case SimKind::kBatch:
      return GatherBatch(op);
    case SimKind::kZip:
      return GatherZip(op);
    case SimKind::kConcat:
      return GatherConcat(op);
    case SimKind::kShuffle:
      return GatherShuffle(op);
  }
  return false;
}

bool SimRank::Emit(Op& op) {
  if (scenario_.epochs > 0 && op.epoch == scenario_.epochs) return false;
  if (scenario_.drain && op.epoch > released_) return false;
  const bool last = op.emitted + 1 == op.info->count;
  if (!MayStart(op, last)) return false;
  op.emitted = last ? 0 : op.emitted + 1;
  if (last) ++op.epoch;
  op.gathering = {.bytes = 0, .rows = 1, .home = 0, .last = last, .homeless = true};
  return true;
}

bool SimRank::GatherOne(Op& op) {
  if (!MayTake(op, op.inputs[0])) return false;
  op.gathering = Take(op.inputs[0]);
  return true;
}

bool SimRank::GatherBatch(Op& op) {
  while (MayTake(op, op.inputs[0])) {
    const SimItem item = Take(op.inputs[0]);
    if (op.gathered == 0) op.gathering = {};
    if (item.rows > 0) ++op.gathered;
    op.gathering.bytes += item.bytes;
    op.gathering.rows += item.rows;
    op.gathering.home = item.home;
    op.gathering.homeless = item.homeless;
    op.gathering.last = item.last;
    if (op.gathered < op.info->size && !item.last) continue;
    if (op.gathered < op.info->size && op.info->drop_remainder) {
      Hold(-op.gathering.bytes);
      op.gathering = {.last = true};
    }
    op.gathered = 0;
    return true;
  }
  return false;
}

bool SimRank::GatherZip(Op& op) {
  if (!std::ranges::all_of(op.inputs, [&](std::uint32_t input) { return MayTake(op, input); })) return false;
  op.gathering = Take(op.inputs[0]);
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    const SimItem item = Take(op.inputs[i]);
    op.gathering.bytes += item.bytes;
    op.gathering.rows = std::min(op.gathering.rows, item.rows);
    op.gathering.last = op.gathering.last || item.last;
  }
  return true;
}

bool SimRank::GatherConcat(Op& op) {
  while (MayTake(op, op.inputs[op.turn])) {
    op.gathering = Take(op.inputs[op.turn]);
    if (op.gathering.last) op.turn = (op.turn + 1) % op.inputs.size();
    op.gathering.last = op.gathering.last && op.turn == 0;
    if (op.gathering.rows > 0 || op.gathering.last) return true;
  }
  return false;
}

// Which of those it holds goes first makes no difference to anybody.
bool SimRank::GatherShuffle(Op& op) {
  while (!op.empties && op.mixed.size() <= op.info->buffer) {
    if (!MayTake(op, op.inputs[0])) return false;
    const SimItem item = Take(op.inputs[0]);
    op.empties = item.last;
    if (item.rows > 0) op.mixed.push_back(item);
  }
  op.gathering = op.mixed.empty() ? SimItem{} : op.mixed.front();
  if (!op.mixed.empty()) op.mixed.pop_front();
  op.gathering.last = op.empties && op.mixed.empty();
  op.empties = op.empties && !op.mixed.empty();
  return true;
}

void SimRank::DrawTimes(Op& op, Job& job) const {
  const double factor = load_ * op.dear(op.rng) * op.cost / op.speed;
  const double slowed = factor * Slowdown(op.info->contention, op.busy);
  job.read = factor * (op.read(op.rng) + op.storage_fixed);
  job.wait = slowed * op.wait(op.rng);
  job.burn = slowed * op.burn(op.rng);
}

void SimRank::Start(std::size_t index) {
  Op& op = ops_[index];
  const std::uint32_t id = NewJob(static_cast<std::uint32_t>(index));
  Job& job = jobs_[id];
  job.item = op.gathering;
  job.ticket = connectors_[index].Reserve(machine_.now());
  ++op.busy;
  op.mark_out = job.item.last;
  if (job.item.rows > 0) {
    DrawTimes(op, job);
    if (op.info->allocate.count > 0) {
      job.frees = job.item.bytes;
      job.item.bytes = op.info->allocate.count;
      Hold(job.item.bytes);
    }
  }
  Proceed(id);
}

void SimRank::Proceed(std::uint32_t id) {
  Job& job = jobs_[id];
  switch (job.phase) {
    case Phase::kNew:
      job.phase = Phase::kReading;
      if (job.read > 0) return machine_.Read(Token(id), job.read);
      [[fallthrough]];
    case Phase::kReading:
      job.phase = Phase::kWaiting;
      if (job.wait > 0) return machine_.Wait(Token(id), job.wait);
      [[fallthrough]];
    case Phase::kWaiting:
      job.phase = Phase::kComputing;
      if (job.burn > 0) return EnterCpu(id);
      return Finish(id);
    case Phase::kComputing:
      LeaveCpu(id);
      return Finish(id);
    case Phase::kPausing:
      free_.push_back(id);
      return EndPause();
    case Phase::kStarting:
      free_.push_back(id);
      return EndStartUp(job.op);
  }
}

void SimRank::EnterCpu(std::uint32_t id) {
  Job& job = jobs_[id];
  const bool locks = !IsConsumer(job) && ops_[job.op].info->gil;
  if (locks && locked_) {
    lock_queue_.push_back(id);
    return;
  }
  locked_ = locked_ || locks;
  job.node = machine_.QuietestNode(IsConsumer(job) ? 0 : ops_[job.op].nodes);
  const bool remote = !job.item.homeless && job.item.home != job.node;
  job.item.home = static_cast<std::uint8_t>(job.node);
  job.item.homeless = false;
  machine_.Compute(Token(id), job.node, job.burn * (remote ? scenario_.machine.remote_penalty : 1));
  CpuOf(job).Change(machine_, job.node, +1);
}

void SimRank::LeaveCpu(std::uint32_t id) {
  Job& job = jobs_[id];
  CpuOf(job).Change(machine_, job.node, -1);
  if (IsConsumer(job) || !ops_[job.op].info->gil) return;
  locked_ = false;
  if (lock_queue_.empty()) return;
  const std::uint32_t next = lock_queue_.front();
  lock_queue_.pop_front();
  EnterCpu(next);
}

void SimRank::Finish(std::uint32_t id) {
  const Job job = jobs_[id];
  if (IsConsumer(job)) return EndStep(id);
  free_.push_back(id);
  Op& op = ops_[job.op];
  if (job.item.rows > 0) {
    ++op.items;
    op.bytes += job.item.bytes;
    ++op.latency[BucketOf(machine_.now() - job.start)];
    Hold(-job.frees);
  }
  if (job.item.last) op.mark_out = false;
  connectors_[job.op].Publish(machine_.now(), job.ticket, job.item);
  --op.busy;
  Wake(job.op);
  Wake(behind_[job.op]);
}

void SimRank::FillConsumer() {
  SimConnector& last = connectors_.back();
  while (!consumer_.busy && !finished_ && last.Ready()) {
    const std::uint32_t id = NewJob(static_cast<std::uint32_t>(ops_.size()));
    Job& job = jobs_[id];
    job.item = Take(static_cast<std::uint32_t>(ops_.size() - 1));
    consumer_.busy = true;
    if (job.item.rows > 0) {
      ++consumer_.items;
      consumer_.rows += job.item.rows;
      Hold(-job.item.bytes);
      job.wait = consumer_.cost * consumer_.step(consumer_.rng);
      job.burn = consumer_.cost * consumer_.burn(consumer_.rng);
      consumer_.clock.Set(machine_.now(), 1, 0, IdleReason::kStarved);
    }
    Proceed(id);
  }
  if (!consumer_.busy) consumer_.clock.Set(machine_.now(), 0, finished_ ? 0 : 1, IdleReason::kStarved);
}

void SimRank::EndStep(std::uint32_t id) {
  Job& job = jobs_[id];
  Wake(ops_.size());
  if (!job.item.last) {
    ++consumer_.steps[BucketOf(machine_.now() - job.start)];
    consumer_.busy = false;
    free_.push_back(id);
    return;
  }
  ++consumer_.epoch;
  finished_ = scenario_.epochs > 0 && consumer_.epoch == scenario_.epochs;
  consumer_.clock.Set(machine_.now(), 0, 0, IdleReason::kStarved);
  job.phase = Phase::kPausing;
  if (scenario_.pause.count() > 0 && !finished_) {
    machine_.Wait(Token(id), Seconds(scenario_.pause));
  } else {
    Proceed(id);
  }
}

void SimRank::EndPause() {
  consumer_.busy = false;
  released_ = consumer_.epoch;
  for (std::size_t i = 0; i <= ops_.size(); ++i) Wake(i);
}

void SimRank::SetWorkers(std::size_t op, int workers) {
  ops_[op].target = workers;
  connectors_[op].SetWorkers(machine_.now(), static_cast<std::uint64_t>(workers));
  StartWorkers(op);
}

void SimRank::SetCapacity(std::size_t connector, std::int64_t capacity) {
  connectors_[connector].SetCapacity(machine_.now(), static_cast<std::uint64_t>(capacity));
  Wake(connector);
}

void SimRank::Kill() {
  const double now = machine_.now();
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    Op& op = ops_[i];
    lost_ += connectors_[i].Clear(now) + static_cast<std::uint64_t>(op.busy) + op.gathered + op.mixed.size();
    op.cpu.Clear(machine_);
    op.ready = 0;
    op.starting = 0;
    op.busy = 0;
    op.gathered = 0;
    op.mixed.clear();
    op.empties = false;
    op.turn = 0;
    op.mark_out = false;
    op.clock.Set(now, 0, 0, IdleReason::kStarved);
  }
  consumer_.cpu.Clear(machine_);
  consumer_.busy = false;
  consumer_.clock.Set(now, 0, 0, IdleReason::kStarved);
  jobs_.clear();
  free_.clear();
  lock_queue_.clear();
  locked_ = false;
  memory_.held -= held_;
  held_ = 0;
  down_ = true;
}

void SimRank::Revive() {
  down_ = false;
  released_ = consumer_.epoch;
  for (std::size_t i = 0; i <= ops_.size(); ++i) {
    if (i < ops_.size()) {
      ops_[i].emitted = 0;
      ops_[i].epoch = consumer_.epoch;
      StartWorkers(i);
    }
    Wake(i);
  }
}

OpReading SimRank::ReadOp(std::size_t index) const {
  const Op& op = ops_[index];
  const WorkerClock::Totals times = op.clock.At(machine_.now());
  const CpuClock::Totals cpu = op.cpu.Now(machine_);
  OpReading reading;
  reading.items = op.items;
  reading.bytes = {op.bytes};
  reading.busy = FromSeconds(times.busy);
  reading.starved = FromSeconds(times.starved);
  reading.backed_up = FromSeconds(times.backed_up);
  reading.on_cpu = FromSeconds(cpu.on_cpu);
  reading.runnable = FromSeconds(cpu.runnable);
  reading.workers = down_ ? 0 : std::max(op.target, op.busy);
  reading.latency = op.latency;
  return reading;
}

ConsumerReading SimRank::ReadConsumer() const {
  const WorkerClock::Totals times = consumer_.clock.At(machine_.now());
  return {.items = consumer_.items,
          .rows = consumer_.rows,
          .busy = FromSeconds(times.busy),
          .starved = FromSeconds(times.starved),
          .steps = consumer_.steps};
}

double SimRank::CpuSeconds() const {
  double seconds = consumer_.cpu.Now(machine_).on_cpu;
  for (const Op& op : ops_) seconds += op.cpu.Now(machine_).on_cpu;
  return seconds;
}

std::uint64_t SimRank::made() const {
  std::uint64_t items = 0;
  for (const Op& op : ops_) items += op.items;
  return items;
}

}  // namespace sluice::simulator
