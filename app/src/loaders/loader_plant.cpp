#include "loaders/loader_plant.h"

#include <algorithm>
#include <set>

namespace sluice::app {
namespace {

constexpr double kCoresStep = 0.1;   // a share that changes by less stays as it is: nothing is to hunt it
constexpr double kMemoryStep = 0.1;  // the same

bool Differs(double now, double before, double step) {
  return std::abs(now - before) > step * before;
}

bool IsHeld(const Knob& knob) {
  return knob.holder == Holder::kUser;
}

Nanos OnCpu(const Snapshot& seen) {
  Nanos sum{0};
  for (const OpReading& op : seen.ops) sum = Sum(sum, op.on_cpu.value_or(op.busy));
  return sum;
}

}  // namespace

Snapshot LoaderPlant::Sense() {
  Snapshot seen = live_.Sense();
  if (reader().Alive()) process_cores_ = seen.budget.cores;  // of a dead process nobody knows its mask
  if (cores_) seen.budget.cores = std::min(seen.budget.cores, *cores_);
  if (memory_) seen.budget.memory = *memory_;
  for (const Knob& knob : seen.knobs) {
    if (knob.id.kind != KnobKind::kWorkers || knob.id.target >= seen.ops.size()) continue;
    seen.ops[knob.id.target].worker_memory = worker_memory_;
  }
  epochs_.Look(seen, reader().LastEpoch(), reader().Outlook(), reader().Workers(seen.at));
  epochs_.Bound(seen);
  if (places_.any()) places_.Keep(WorkerProcesses());
  knobs_ = live_.knobs();
  if (auto place = places_.KnobOf(seen)) {
    knobs_.push_back(*place);
    // Whole epochs are compared: nothing else may change meanwhile.
    if (std::ranges::any_of(seen.knobs, IsHeld)) place->holder = Holder::kUser;
    seen.knobs.push_back(std::move(*place));
  }
  return seen;
}

void LoaderPlant::Act(const Decision& decision) {
  live_.Act(decision);
  if (decision.advice) return;
  for (const KnobChange& change : decision.changes) {
    if (change.knob.kind == KnobKind::kPlacement) places_.Request(change.to);
  }
}

bool LoaderPlant::SetHolder(KnobId knob, Holder holder) {
  return knob.kind == KnobKind::kPlacement ? places_.SetHolder(holder) : live_.SetHolder(knob, holder);
}

void LoaderPlant::Grant(double cores, std::optional<Bytes> memory) {
  if (!cores_ || Differs(cores, *cores_, kCoresStep)) cores_ = cores;
  if (!memory) return;
  const auto count = static_cast<double>(memory->count);
  if (!memory_ || Differs(count, static_cast<double>(memory_->count), kMemoryStep)) memory_ = memory;
}

std::vector<int> LoaderPlant::WorkerProcesses() const {
  const int own = static_cast<int>(reader().identity().pid);
  std::set<int> found;
  for (const probes::WorkerThread& thread : reader().Threads()) {
    if (thread.pid > 0 && thread.pid != own && !thread.retired) found.insert(thread.pid);
  }
  return {found.begin(), found.end()};
}

autotune::Claim ClaimOf(const Snapshot& from, const Snapshot& to, int process) {
  autotune::Claim claim{.process = process};
  const double seconds = Seconds(to.at - from.at);
  if (seconds <= 0) return claim;
  const double workers = Seconds(OnCpu(to) - OnCpu(from));
  const double consumer =
      Seconds(to.consumer.busy + to.consumer.starved - from.consumer.busy - from.consumer.starved);
  claim.active = consumer > 0;
  claim.worker_cores = std::max(0.0, workers) / seconds;
  claim.process_cores = std::max(0.0, Seconds(to.process_cpu - from.process_cpu) - workers) / seconds;
  for (const ConnectorReading& connector : to.connectors) claim.held.count += connector.bytes.count;
  return claim;
}

}  // namespace sluice::app
