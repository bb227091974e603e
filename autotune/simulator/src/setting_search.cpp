#include "setting_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plain_setting.h"
#include "rate_meter.h"
#include "sluice/base/check.h"

namespace sluice::simulator {
namespace {

// The plain setting is good enough at this share of the fluid limit, or within so many standard errors of it.
constexpr double kGoodEnough = 0.975;
constexpr double kErrors = 2;
constexpr double kAsGood = 0.995;  // of the fluid limit: there is nothing left to look for
// A larger setting must be better by this, the noise of two measurements, and a smaller one may not be worse
// than that, of the best ever seen.
constexpr double kWorthwhile = 1.005;
constexpr double kNoWorse = 0.998;

// Of all ops' items: about a tenth of a second, half a second, and some seconds in all.
constexpr MeasureLength kFirst{1500, 1.5e5};
constexpr MeasureLength kLast{6000, 6e5};
constexpr double kMostSimulated = 1.2e7;
constexpr std::size_t kMostTried = 80;
constexpr std::size_t kOthers = 3;  // beside the one that is chosen, that are measured for longer

constexpr double kStep = 1.25;      // of workers
constexpr std::int64_t kOrder = 8;  // room per worker of an op whose items leave in order
constexpr double kHeadroom = 1.2;
constexpr double kGenerous = 2;
constexpr std::int64_t kRoomy = 256;

struct Candidate {
  SimSetting setting;
  double rate = 0;
};

class Search {
 public:
  Search(const SimScenario& scenario, const FluidProblem& problem, const Optimum& fluid)
      : scenario_(scenario), p_(problem), fluid_(fluid), meter_(scenario, fluid) {}

  [[nodiscard]] bool IsReached(const SimSetting& setting) const {
    const MeasuredRate plain = meter_.Of(setting, kLast, scenario_.seed + 1);
    const double wanted = std::min(kGoodEnough, 1 - kErrors * plain.error / fluid_.rate.per_second);
    return plain.rate >= wanted * fluid_.rate.per_second;
  }

  [[nodiscard]] std::optional<Candidate> Best(std::span<const SimSetting> known, SearchEffort effort) {
    for (const SimSetting& setting : StartingPoints(known)) {
      if (!Done()) Consider(setting);
    }
    if (tried_.empty()) return std::nullopt;
    if (effort == SearchEffort::kFull) Descend();
    const Candidate chosen = MeasuredForLonger(tried_[best()]);
    std::ranges::stable_sort(tried_, std::greater{}, &Candidate::rate);
    tried_.resize(std::min(tried_.size(), kOthers));
    for (Candidate& each : tried_) each = MeasuredForLonger(std::move(each));
    const Candidate& fastest = *std::ranges::max_element(tried_, {}, &Candidate::rate);
    return fastest.rate > kWorthwhile * chosen.rate ? fastest : chosen;
  }

 private:
  // With another seed: the first choice was made among lucky ones.
  [[nodiscard]] Candidate MeasuredForLonger(Candidate candidate) const {
    candidate.rate = meter_.Of(candidate.setting, kLast, scenario_.seed + 1).rate;
    return candidate;
  }

  // From thrifty to generous: a later one is taken only where it is better by more than noise.
  [[nodiscard]] std::vector<SimSetting> StartingPoints(std::span<const SimSetting> known) const {
    const SimSetting plain = PlainSetting(scenario_, fluid_);
    const SimSetting generous = Roomier(MoreWorkers(plain, kGenerous), 0, kRoomy);
    std::vector<SimSetting> points = {plain, Roomier(MoreWorkers(plain, kHeadroom), kOrder, 0), generous,
                                      AsInFile(), PerCore(generous)};
    points.insert(points.end(), known.begin(), known.end());
    return points;
  }

  [[nodiscard]] bool Contends(std::size_t op) const {
    const Contention& contention = p_.ops[op].contention;
    return contention.sigma > 0 || contention.kappa > 0 || !contention.table.empty();
  }

  // But for ops that they slow down.
  [[nodiscard]] SimSetting MoreWorkers(SimSetting setting, double times) const {
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      if (!Contends(i)) setting.workers[i] = static_cast<int>(std::ceil(setting.workers[i] * times));
    }
    return setting;
  }

  [[nodiscard]] static SimSetting Roomier(SimSetting setting, std::int64_t per_worker, std::int64_t least) {
    for (std::size_t i = 0; i < setting.capacity.size(); ++i) {
      setting.capacity[i] = std::max({setting.capacity[i], per_worker * setting.workers[i], least});
    }
    return setting;
  }

  [[nodiscard]] SimSetting AsInFile() const {
    SimSetting setting;
    for (const SimOp& op : scenario_.ops) {
      setting.workers.push_back(op.workers);
      setting.capacity.push_back(op.capacity);
    }
    return setting;
  }

  [[nodiscard]] SimSetting PerCore(SimSetting setting) const {
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      const int cores = static_cast<int>(std::ceil(p_.cores));
      if (!Contends(i)) setting.workers[i] = std::max(setting.workers[i], cores);
    }
    return setting;
  }

  [[nodiscard]] int Most(std::size_t op) const {
    const SimOp& info = scenario_.ops[op];
    return info.serial ? 1 : info.pin_workers ? info.workers : info.max_workers;
  }
  [[nodiscard]] int Least(std::size_t op) const {
    const SimOp& info = scenario_.ops[op];
    return info.pin_workers ? info.workers : info.min_workers;
  }

  void Clamp(SimSetting& setting) const {
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      const SimOp& op = scenario_.ops[i];
      setting.workers[i] = std::clamp(setting.workers[i], Least(i), Most(i));
      const auto room = std::clamp<std::int64_t>(setting.capacity[i], op.min_capacity, op.max_capacity);
      setting.capacity[i] = op.pin_capacity ? op.capacity : room;
    }
  }

  // Takes from the ops that hold the most, but for `keep`, until the memory holds the rest: room first.
  [[nodiscard]] bool Fit(SimSetting& setting, std::size_t keep) const {
    Clamp(setting);
    while (p_.memory > 0 && HeldBytes(p_.ops, setting.workers, setting.capacity) > p_.memory) {
      if (!Halve(setting, keep) && !OneLess(setting, keep)) return false;
    }
    return true;
  }

  [[nodiscard]] bool Halve(SimSetting& setting, std::size_t keep) const {
    std::optional<std::size_t> most;
    const auto held = [&](std::size_t i) {
      return p_.ops[i].bytes * static_cast<double>(setting.capacity[i]);
    };
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      const bool can = i != keep && setting.capacity[i] > p_.ops[i].buffered;
      if (can && held(i) > 0 && (!most || held(i) > held(*most))) most = i;
    }
    if (!most) return false;
    setting.capacity[*most] = std::max(p_.ops[*most].buffered, setting.capacity[*most] / 2);
    return true;
  }

  [[nodiscard]] bool OneLess(SimSetting& setting, std::size_t keep) const {
    std::optional<std::size_t> most;
    const auto held = [&](std::size_t i) { return (p_.ops[i].bytes + p_.ops[i].frees) * setting.workers[i]; };
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      const bool can = i != keep && setting.workers[i] > Least(i);
      if (can && held(i) > 0 && (!most || held(i) > held(*most))) most = i;
    }
    if (!most) return false;
    --setting.workers[*most];
    return true;
  }

  // Measures it, where it fits and is new.
  bool Consider(SimSetting setting, std::size_t keep = kNone) {
    if (!Fit(setting, keep)) return false;
    const bool known = std::ranges::any_of(tried_, [&](const Candidate& each) {
      return each.setting.workers == setting.workers && each.setting.capacity == setting.capacity;
    });
    if (known) return false;
    const auto [rate, error, simulated] = meter_.Of(setting, kFirst, scenario_.seed);
    simulated_ += simulated;
    tried_.push_back({std::move(setting), rate});
    if (!best_ || rate > kWorthwhile * tried_[*best_].rate) best_ = tried_.size() - 1;
    most_ = std::max(most_, rate);
    return true;
  }

  // One knob after the other, until none of them helps.
  void Descend() {
    for (bool better = true; better && !Done();) {
      better = false;
      for (std::size_t op = 0; op < p_.ops.size() && !Done(); ++op) better = Vary(op) || better;
    }
  }

  // REQUIRES: one was tried.
  [[nodiscard]] std::size_t best() const {
    SLUICE_CHECK(best_);
    return *best_;
  }

  [[nodiscard]] bool Done() const {
    return tried_.size() >= kMostTried || simulated_ >= kMostSimulated ||
           most_ >= kAsGood * fluid_.rate.per_second;
  }

  // Whether a neighbour of the best setting is better, or as good and smaller. Less room is of use for the
  // bytes.
  bool Vary(std::size_t op) {
    const std::size_t before = best();
    const SimSetting from = tried_[before].setting;
    const bool works = p_.ops[op].cpu + p_.ops[op].wait + p_.ops[op].storage > 0;
    const int step = std::max(1, static_cast<int>(from.workers[op] * (kStep - 1)));
    if (works) Try(from, op, from.workers[op] + step, from.capacity[op]);
    if (works && best() == before) Try(from, op, from.workers[op] - step, from.capacity[op]);
    const std::size_t so_far = best();
    const SimSetting then = tried_[so_far].setting;
    Try(then, op, then.workers[op], 2 * then.capacity[op]);
    if (p_.memory > 0 && best() == so_far) Try(then, op, then.workers[op], then.capacity[op] / 2);
    return best() != before;
  }

  void Try(SimSetting setting, std::size_t op, int workers, std::int64_t room) {
    const bool smaller = workers < setting.workers[op] || room < setting.capacity[op];
    setting.workers[op] = workers;
    setting.capacity[op] = room;
    if (Consider(std::move(setting), op) && smaller && tried_.back().rate >= kNoWorse * most_)
      best_ = tried_.size() - 1;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const SimScenario& scenario_;
  const FluidProblem& p_;
  const Optimum& fluid_;
  const RateMeter meter_;
  std::vector<Candidate> tried_;
  std::optional<std::size_t> best_;
  double most_ = 0;       // of all rates
  double simulated_ = 0;  // items
};

}  // namespace

Optimum BestFound(const SimScenario& scenario, const FluidProblem& problem, Optimum fluid,
                  std::span<const SimSetting> known, SearchEffort effort) {
  if (!std::isfinite(fluid.rate.per_second) || fluid.rate.per_second <= 0) return fluid;
  Search search(scenario, problem, fluid);
  if (search.IsReached(SettingFor(scenario, fluid))) return fluid;
  const auto best = search.Best(known, effort);
  if (!best || best->rate <= 0) return fluid;
  const double share = std::min(1.0, best->rate / fluid.rate.per_second);
  fluid.rate.per_second *= share;
  fluid.cores *= share;
  fluid.workers = best->setting.workers;
  fluid.capacity = best->setting.capacity;
  fluid.bytes = {static_cast<std::int64_t>(HeldBytes(problem.ops, fluid.workers, fluid.capacity))};
  return fluid;
}

}  // namespace sluice::simulator
