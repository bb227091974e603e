#include "ui/machine_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/probes/process_places.h"
#include "sluice/probes/psi.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr Fraction kWorthNaming{0.01};  // of a core

struct OnCore {
  Nanos used{0};
  std::map<std::string, Nanos> by;  // a thread's name, and its process where that is not the first
};

std::string NameOf(const ProcessPlace& process, const ThreadPlace& thread, bool first) {
  return first ? thread.name : fmt::format("{} ({})", thread.name, process.pid);
}

ui::CoreSeen SeenOf(int cpu, const OnCore& core, Nanos passed) {
  std::vector<std::pair<std::string, Nanos>> busiest(core.by.begin(), core.by.end());
  std::ranges::stable_sort(busiest, std::ranges::greater{}, &std::pair<std::string, Nanos>::second);
  ui::CoreSeen seen{.cpu = cpu, .used = Share(core.used, passed), .threads = {}};
  for (const auto& [name, used] : busiest) {
    if (Share(used, passed) >= kWorthNaming) seen.threads.push_back(name);
  }
  return seen;
}

std::optional<Fraction> Waiting(probes::Resource resource, pid_t pid) {
  auto pressure = probes::ReadGroupPressure(resource, pid);
  if (!pressure) pressure = probes::ReadPressure(resource);
  return pressure ? std::optional(pressure->some.avg10) : std::nullopt;
}

}  // namespace

std::vector<ui::CoreSeen> CoresOf(const std::vector<ProcessPlace>& now, const std::map<int, Nanos>& before,
                                  Nanos passed) {
  std::map<int, OnCore> cores;
  for (const ProcessPlace& process : now) {
    for (const ThreadPlace& thread : process.threads) {
      const auto then = before.find(thread.tid);
      if (then == before.end() || thread.last_cpu < 0 || thread.on_cpu <= then->second) continue;
      OnCore& core = cores[thread.last_cpu];
      const Nanos used = thread.on_cpu - then->second;
      core.used += used;
      core.by[NameOf(process, thread, &process == &now.front())] += used;
    }
  }
  std::vector<ui::CoreSeen> seen;
  seen.reserve(cores.size());
  for (const auto& [cpu, core] : cores) seen.push_back(SeenOf(cpu, core, passed));
  return seen;
}

bool MachineLook::Take(MonoTime now) {
  if (!on_cpu_.empty() && now - looked_ < kLookEvery) return false;
  if (!std::exchange(opened_, true)) gpus_ = wrap::GpuProbe::Open();
  TakeCores(now);
  if (!seen_) return false;
  TakePressure();
  if (gpus_) {
    gpus_->Sample();
    seen_->gpus = gpus_->Use();
  }
  return true;
}

void MachineLook::TakeCores(MonoTime now) {
  const std::vector<ProcessPlace> places = probes::ReadFamilyPlaces(pid_);
  if (!on_cpu_.empty()) seen_ = ui::MachineSeen{.cores = CoresOf(places, on_cpu_, now - looked_)};
  on_cpu_.clear();
  for (const ProcessPlace& process : places) {
    for (const ThreadPlace& thread : process.threads) on_cpu_[thread.tid] = thread.on_cpu;
  }
  looked_ = now;
}

void MachineLook::TakePressure() {
  SLUICE_CHECK(seen_);
  seen_->waits_for_core = Waiting(probes::Resource::kCpu, pid_);
  seen_->waits_for_memory = Waiting(probes::Resource::kMemory, pid_);
  seen_->waits_for_io = Waiting(probes::Resource::kIo, pid_);
}

}  // namespace sluice::app
