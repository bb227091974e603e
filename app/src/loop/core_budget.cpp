#include "loop/core_budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "sluice/autotune/node_shares.h"
#include "sluice/base/machine_limits.h"
#include "sluice/probes/binding.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kLook{1};  // over so long a time cores are counted
constexpr double kAllOfIt = 0.9;          // of what was granted: it could use more
constexpr double kHeadroom = 1.15;        // times what is used, where that is less, and ...
constexpr double kLittle = 0.1;           // ... cores beyond it: what it asks for then
constexpr double kCoresStep = 0.1;    // a share that changes by less stays as it is: nothing is to hunt it
constexpr double kOfTheLimit = 0.99;  // a quota that is used up holds back whole threads
constexpr double kLeastPace = 0.02;   // cores

// CPUs that the same runs may use, on the same node.
using Group = std::pair<std::vector<bool>, std::size_t>;

std::size_t NodeOf(int cpu, const std::vector<NumaNode>& nodes) {
  const auto node = std::ranges::find_if(nodes, [&](const NumaNode& n) { return n.cpus.Has(cpu); });
  return static_cast<std::size_t>(node - nodes.begin());
}

std::map<Group, double> GroupsOf(const std::vector<probes::CoreLease>& runs,
                                 const std::vector<NumaNode>& nodes) {
  CpuSet all;
  for (const probes::CoreLease& run : runs) all = all | run.cpus;
  std::map<Group, double> groups;
  for (const int cpu : all.Cpus()) {
    Group group{{}, NodeOf(cpu, nodes)};
    for (const probes::CoreLease& run : runs) group.first.push_back(run.cpus.Has(cpu));
    ++groups[group];
  }
  return groups;
}

std::string Names(const std::vector<probes::CoreLease>& others, const CpuSet& own) {
  std::string names;
  for (const probes::CoreLease& other : others) {
    if (!other.cpus.Meets(own)) continue;
    names += fmt::format("{}{} (pid {})", names.empty() ? "" : ", ", other.program, other.pid);
  }
  return names;
}

}  // namespace

CoresUsed UsedBy(const Snapshot& seen) {
  CoresUsed used{.at = seen.at, .process = seen.process_cpu, .idle = seen.idle.value_or(Nanos(0))};
  for (const OpReading& op : seen.ops) {
    used.workers = Sum(used.workers, op.on_cpu.value_or(Nanos(0)));
    used.queued = Sum(used.queued, op.runnable.value_or(Nanos(0)));
  }
  return used;
}

SharedCores ShareWith(const std::vector<probes::CoreLease>& others, const probes::CoreLease& own,
                      const std::vector<NumaNode>& nodes) {
  std::vector<probes::CoreLease> runs{own};
  runs.insert(runs.end(), others.begin(), others.end());
  std::vector<double> room;
  std::vector<autotune::CoreNeed> needs;
  for (const probes::CoreLease& run : runs)
    needs.push_back({.cores = run.wanted, .most = run.most, .nodes = {}});
  for (const auto& [group, cpus] : GroupsOf(runs, nodes)) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      if (group.first[run]) needs[run].nodes.push_back(room.size());
    }
    room.push_back(cpus);
  }
  const autotune::CoreShare share = autotune::ShareNodes(room, needs).front();
  return {share.cores + share.spare, Names(others, own.cpus)};
}

CoreBudget::CoreBudget(const std::string& folder, std::string program, std::vector<NumaNode> nodes)
    : program_(std::move(program)), nodes_(std::move(nodes)) {
  auto joined = probes::HostLeases::Join(folder);
  if (joined) leases_.emplace(std::move(*joined));
  if (!joined) why_alone_ = joined.error().message;
}

void CoreBudget::Narrow(Snapshot& seen) const {
  if (!shared_ || shared_->cores >= seen.budget.cores) return;
  seen.budget.cores = shared_->cores;
  if (seen.machine == nullptr) return;
  auto limits = std::make_shared<MachineLimits>(*seen.machine);
  limits->cores.insert(limits->cores.begin(),
                       {shared_->cores, "shared on this host with " + shared_->others});
  seen.machine = std::move(limits);
}

std::optional<CoreBudget::Rates> CoreBudget::Measure(const CoresUsed& used) {
  uses_.push_back(used);
  while (uses_.size() > 2 && used.at - uses_[1].at >= kLook) uses_.pop_front();
  const CoresUsed& from = uses_.front();
  const double seconds = Seconds(used.at - from.at);
  if (seconds <= 0) return std::nullopt;
  const auto rate = [&](Nanos total, Nanos before) {
    return std::max(Seconds(total - before), 0.0) / seconds;
  };
  return Rates{.process = rate(used.process, from.process),
               .workers = rate(used.workers, from.workers),
               .queued = rate(used.queued, from.queued),
               .idle = rate(used.idle, from.idle)};
}

// One that could not use more asks for little more than it uses, whatever its model says.
double CoreBudget::Asked(const Rates& rates, double most, std::optional<double> wanted) const {
  // Where the model has just been made to forget, it knows of no demand.
  const double all = std::max({wanted.value_or(most), rates.process, kLittle});
  const double granted = shared_ ? std::min(shared_->cores, most) : most;
  const bool young = uses_.back().at - uses_.front().at < kLook;
  const bool held_back = pace_ > 0 && rates.workers >= kAllOfIt * pace_;
  if (young || held_back || rates.process + rates.queued >= kAllOfIt * granted) return all;
  return std::min(all, kHeadroom * rates.process + kLittle);
}

void CoreBudget::Note(const CoresUsed& used, const MachineLimits& limits, std::optional<double> wanted) {
  const Rates rates = Measure(used).value_or(Rates{});
  const double cpus = limits.cpus;
  const double quota = limits.quotas.empty() ? cpus : limits.quotas.front().bound.cores;
  double limit = quota < cpus ? kOfTheLimit * quota : cpus;
  if (leases_) {
    const double most = std::min(cpus, quota);
    const auto mask = probes::ReadAffinity(0);
    Share({.pid = getpid(),
           .program = program_,
           .wanted = Asked(rates, most, wanted),
           .most = most,
           .used = rates.process,
           .cpus = mask ? *mask : CpuSet()},
          rates);
    if (shared_) limit = std::min(limit, exactly_);
  }
  pace_ = limit < cpus ? std::max(limit - std::max(rates.process - rates.workers, 0.0), kLeastPace) : 0;
}

void CoreBudget::Share(const probes::CoreLease& own, const Rates& rates) {
  static_cast<void>(leases_->Renew(own));
  const auto others = leases_->Others();
  SharedCores now = ShareWith(others, own, nodes_);
  if (now.others.empty()) return shared_.reset();
  // Cores that idle are nobody's; those that all leave idle by going slowly do not count.
  exactly_ = std::max({now.cores, rates.process + rates.idle - kLittle, kLittle});
  now.cores = exactly_;
  const bool same = shared_ && shared_->others == now.others &&
                    std::abs(now.cores - shared_->cores) <= kCoresStep * shared_->cores;
  if (!same) shared_ = std::move(now);
}

}  // namespace sluice::app
