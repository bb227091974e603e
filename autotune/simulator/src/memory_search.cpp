#include "memory_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rate_meter.h"

namespace sluice::simulator {
namespace {

// By the number of ops that hold bytes: how large a buffer is tried behind each, and how many workers more or
// fewer than the fluid optimum's. A few hundred settings in all.
struct Reach {
  std::int64_t buffers;
  int workers;
};
constexpr std::array<Reach, 6> kReach = {{{0, 0}, {16, 0}, {6, 4}, {3, 1}, {2, 1}, {2, 0}}};

constexpr double kMostSimulated = 3e7;
// Tell apart what differs by more than about a percent, and by a few tenths of the best few.
constexpr MeasureLength kFirst{3000, kMostSimulated};
constexpr MeasureLength kLast{30000, kMostSimulated};
constexpr std::size_t kBest = 8;
constexpr std::int64_t kPlenty = 64;  // items that hold no bytes

struct Candidate : SimSetting {
  double rate = 0;
};

class Search {
 public:
  Search(const SimScenario& scenario, const FluidProblem& problem, const Optimum& fluid)
      : scenario_(scenario),
        meter_(scenario, fluid),
        ops_(problem.ops),
        memory_(problem.memory),
        fluid_(fluid) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].bytes > 0 || ops_[i].frees > 0) holders_.push_back(i);
    }
  }

  [[nodiscard]] std::optional<Candidate> Best() {
    if (holders_.empty() || holders_.size() >= kReach.size()) return std::nullopt;
    pace_ = *std::ranges::max_element(holders_, {},
                                      [&](std::size_t i) { return ops_[i].bytes * fluid_.workers[i]; });
    Candidate start{{fluid_.workers, {}}};
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const bool holds = std::ranges::find(holders_, i) != holders_.end();
      start.capacity.push_back(holds ? ops_[i].buffered : std::max(ops_[i].buffered, Roomiest(i, kPlenty)));
    }
    Vary(start, 0);
    if (tried_.empty()) return std::nullopt;
    for (Candidate& each : tried_) each.rate = meter_.Of(each, kFirst, scenario_.seed).rate;
    std::ranges::sort(tried_, std::greater{}, &Candidate::rate);
    tried_.resize(std::min(tried_.size(), kBest));
    // Of another seed: the first choice was made among lucky ones.
    for (Candidate& each : tried_) each.rate = meter_.Of(each, kLast, scenario_.seed + 1).rate;
    return *std::ranges::max_element(tried_, {}, &Candidate::rate);
  }

 private:
  [[nodiscard]] std::int64_t Roomiest(std::size_t op, std::int64_t wanted) const {
    const SimOp& info = scenario_.ops[op];
    if (info.pin_capacity) return info.capacity;
    return std::clamp<std::int64_t>(wanted, info.min_capacity, info.max_capacity);
  }

  // All settings of the holders from the `next` one on; the op that sets the pace takes what is left.
  void Vary(const Candidate& so_far, std::size_t next) {
    if (next == holders_.size()) return TakeTheRest(so_far);
    const std::size_t op = holders_[next];
    const Reach reach = kReach[holders_.size()];
    const int around = op == pace_ ? 0 : reach.workers;
    for (int more = -around; more <= around; ++more) {
      Candidate each = so_far;
      each.workers[op] = so_far.workers[op] + more;
      if (each.workers[op] < ops_[op].least || each.workers[op] > ops_[op].most) continue;
      for (std::int64_t room = ops_[op].buffered; room <= Roomiest(op, reach.buffers); ++room) {
        each.capacity[op] = room;
        Vary(each, next + 1);
      }
    }
  }

  void TakeTheRest(Candidate setting) {
    int& workers = setting.workers[pace_];
    for (workers = ops_[pace_].most; workers >= ops_[pace_].least; --workers) {
      if (HeldBytes(ops_, setting.workers, setting.capacity) > memory_) continue;
      tried_.push_back(std::move(setting));
      return;
    }
  }

  const SimScenario& scenario_;
  const RateMeter meter_;
  const std::vector<FluidOp> ops_;
  const double memory_;
  const Optimum& fluid_;
  std::vector<std::size_t> holders_;  // ops whose items or workers hold bytes
  std::size_t pace_ = 0;              // of these, the op that most of the memory is for
  std::vector<Candidate> tried_;
};

}  // namespace

Optimum BestInMemory(const SimScenario& scenario, const FluidProblem& problem, Optimum fluid) {
  const auto best = Search(scenario, problem, fluid).Best();
  if (!best || best->rate <= 0) return fluid;
  const double share = std::min(1.0, best->rate / fluid.rate.per_second);
  fluid.rate.per_second *= share;
  fluid.cores *= share;
  fluid.workers = best->workers;
  fluid.capacity = best->capacity;
  fluid.bytes = {static_cast<std::int64_t>(HeldBytes(problem.ops, best->workers, best->capacity))};
  return fluid;
}

}  // namespace sluice::simulator
