#include "loop/core_budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ranges>
#include <utility>

#include "sluice/autotune/node_shares.h"
#include "sluice/base/check.h"
#include "sluice/base/machine_limits.h"
#include "sluice/probes/binding.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kLook{1};  // over so long a time cores are counted, ...
constexpr std::chrono::seconds kNeed{5};  // ... and what has to be steady, and comes batch by batch
// A consumer that could take what so many times the cores make takes whatever comes: that is no need.
constexpr double kWhatever = 4;
constexpr double kAllOfIt = 0.9;       // of what was granted: it could use more
constexpr double kHeadroom = 1.15;     // times what is used, where that is less, and ...
constexpr double kLittle = 0.1;        // ... cores beyond it: what it asks for then
constexpr double kCoresStep = 0.1;     // a share that changes by less stays as it is: nothing is to hunt it
constexpr double kOfTheLimit = 0.995;  // a quota that is used up holds back whole threads
// Cores. The kernel gives a quota out in slices; what is left of one stays with a CPU that has gone idle, up
// to a millisecond of a period of mostly a hundred; so much was enough for quotas of 0.25 to 1 cores.
constexpr double kLeftOver = 0.0075;
constexpr double kLeastPace = 0.02;  // cores

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
  CoresUsed used{.at = seen.at,
                 .process = seen.process_cpu,
                 .idle = seen.idle.value_or(Nanos(0)),
                 .starved = seen.consumer.starved - std::min(seen.consumer.starting, seen.consumer.starved)};
  for (const OpReading& op : seen.ops) {
    used.workers = Sum(used.workers, op.on_cpu.value_or(Nanos(0)));
    used.queued = Sum(used.queued, op.runnable.value_or(Nanos(0)));
  }
  used.workers = seen.threads_cpu.value_or(used.workers);
  return used;
}

SharedCores ShareWith(const std::vector<probes::CoreLease>& others, const probes::CoreLease& own,
                      const std::vector<NumaNode>& nodes) {
  std::vector<probes::CoreLease> runs{own};
  runs.insert(runs.end(), others.begin(), others.end());
  std::vector<double> room;
  std::vector<autotune::CoreNeed> needs;
  needs.reserve(runs.size());
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
  while (uses_.size() > 2 && used.at - uses_[1].at >= kNeed) uses_.pop_front();
  const auto since = [&](Nanos look) -> const CoresUsed& {
    return *std::ranges::find_if(uses_ | std::views::reverse, [&](const CoresUsed& use) {
      return used.at - use.at >= look || &use == &uses_.front();
    });
  };
  const CoresUsed &second = since(kLook), &first = uses_.front();
  if (used.at <= first.at) return std::nullopt;
  const auto grown = [](Nanos total, Nanos before, Nanos time) {
    return std::max(Seconds(total - before), 0.0) / Seconds(time);
  };
  const auto rate = [&](Nanos CoresUsed::* total) {
    return grown(used.*total, second.*total, used.at - second.at);
  };
  const Nanos time = used.at - first.at;
  const double process = grown(used.process, first.process, time);
  const double waiting = grown(used.starved, first.starved, time) / std::max(used.consumers, 1);
  return Rates{.process = rate(&CoresUsed::process),
               .workers = rate(&CoresUsed::workers),
               .queued = rate(&CoresUsed::queued),
               .idle = rate(&CoresUsed::idle),
               .rest = std::max(process - grown(used.workers, first.workers, time), 0.0),
               .needed = autotune::CoresNeeded(process, waiting)};
}

// One that could not use more asks for little more than it uses, however long its consumer waits.
double CoreBudget::Asked(const Rates& rates, double most) const {
  const bool young = uses_.back().at - uses_.front().at < kLook;
  if (young) return most;
  const double all = std::max(rates.needed > kWhatever * most ? most : rates.needed, kLittle);
  const double granted = shared_ ? std::min(shared_->cores, most) : most;
  const bool held_back = pace_ > 0 && rates.workers >= kAllOfIt * pace_;
  if (held_back || rates.process + rates.queued >= kAllOfIt * granted) return all;
  return std::min(all, kHeadroom * rates.process + kLittle);
}

void CoreBudget::Note(const CoresUsed& used, const MachineLimits& limits) {
  const Rates rates = Measure(used).value_or(Rates{});
  const double cpus = limits.cpus;
  const double quota = limits.quotas.empty() ? cpus : limits.quotas.front().bound.cores;
  double limit = quota < cpus ? std::min(kOfTheLimit * quota, quota - kLeftOver) : cpus;
  if (leases_) {
    const double most = std::min(cpus, quota);
    const auto mask = probes::ReadAffinity(0);
    Share({.pid = getpid(),
           .program = program_,
           .wanted = Asked(rates, most),
           .most = most,
           .used = rates.process,
           .cpus = mask ? *mask : CpuSet()},
          rates);
    if (shared_) limit = std::min(limit, exactly_);
  }
  pace_ = limit < cpus ? std::max(limit - rates.rest, kLeastPace) : 0;
}

void CoreBudget::Share(const probes::CoreLease& own, const Rates& rates) {
  SLUICE_CHECK(leases_);
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
