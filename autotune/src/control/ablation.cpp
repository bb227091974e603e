#include "sluice/autotune/ablation.h"

#include "rule.h"

#ifdef SLUICE_ABLATION
#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "sluice/autotune/auto_tune.h"
#include "sluice/base/check.h"
#endif

namespace sluice::autotune {

#ifdef SLUICE_ABLATION
namespace internal {
thread_local std::bitset<static_cast<std::size_t>(Rule::kCount)> left_out;
}

namespace {

struct Entry {
  Rule rule;
  std::string_view name, where, what;
};

constexpr std::array kRules = std::to_array<Entry>({
    {Rule::kFirstLook, "first-look", "observing", "the first plan waits for items of every op"},
    {Rule::kStandsOut, "stands-out", "observing", "a gain must stand out from the noise of the rate"},
    {Rule::kUrgency, "urgency", "observing", "before three windows only a great gain is tried"},
    {Rule::kOnceMore, "once-more", "observing", "after a rest a gain must be worthwhile, not only small"},
    {Rule::kNudge, "nudge", "propose", "where the model sees nothing to do, the busiest op gets more"},
    {Rule::kDescent, "descent", "propose", "fewer workers are tried where more may slow each other down"},
    {Rule::kClearGain, "clear-gain", "resting", "a gain that stays clear for 15 looks ends a rest"},
    {Rule::kTrim, "trim", "propose", "what is not needed is given back"},
    {Rule::kTrimRange, "trim-range", "propose", "no trim long after the last change"},
    {Rule::kFailureCaps, "failure-caps", "experiment", "no more than midway to a count that failed"},
    {Rule::kFailureMemory, "failure-memory", "experiment", "what failed is not tried again"},
    {Rule::kTrust, "trust", "experiment", "each broken promise halves what is believed of the next"},
    {Rule::kMostFailures, "most-failures", "experiment", "after some failures in a row it rests"},
    {Rule::kTakeBack, "take-back", "experiment", "what made more than what came after it is tried again"},
    {Rule::kUselessTrim, "useless-trim", "experiment", "workers that were no loss are not given again"},
    {Rule::kOutdated, "outdated", "experiment", "a trial ends when something much better shows"},
    {Rule::kCollapse, "collapse", "experiment", "a growth that makes far less ends at once"},
    {Rule::kTrimCost, "trim-cost", "experiment", "a trim that starves a served consumer ends at once"},
    {Rule::kDemandEndsTrim, "demand-ends-trim", "experiment", "returning demand ends a trim"},
    {Rule::kHearsay, "hearsay", "experiment", "a first glimpse of the rate counts less as a yardstick"},
    {Rule::kBlame, "blame", "experiment", "a growth is not undone where the consumer lacks nothing"},
    {Rule::kConsumerSettles, "consumer-settles", "experiment", "some consumer items settle a change"},
    {Rule::kStartUp, "start-up", "experiment", "a change has settled when its workers are there"},
    {Rule::kSetAside, "set-aside", "experiment", "a trial whose phase is over goes on when that comes back"},
    {Rule::kWatchCost, "watch-cost", "watch", "a shift of an op's cost is noticed"},
    {Rule::kWatchDemand, "watch-demand", "watch", "a shift of the demand is noticed"},
    {Rule::kWatchRate, "watch-rate", "watch", "a shift of the rate is noticed"},
    {Rule::kOthersCores, "others-cores", "propose", "cores that other work takes are not planned with"},
    {Rule::kTrimGivesBack, "trim-gives-back", "propose",
     "a trim reckons with cores that others may give back"},
    {Rule::kContendedDown, "contended-down", "propose",
     "an op that slows itself down goes to its best count"},
    {Rule::kWastedCores, "wasted-cores", "propose", "and gives back cores where these are the limit"},
    {Rule::kJump, "jump", "propose", "an op that waits grows by a bounded factor"},
    {Rule::kBufferStep, "buffer-step", "propose", "buffers grow by half or not at all"},
    {Rule::kHeldUpItems, "held-up-items", "propose", "the last buffer holds what order holds up"},
    {Rule::kReaction, "reaction", "propose", "the last buffer covers half a second of demand"},
    {Rule::kRunnerUp, "runner-up", "propose", "beyond a curve's best count more may be better"},
    {Rule::kTrimAlong, "trim-along", "propose", "a growth takes down what it does not need"},
    {Rule::kTrimRoom, "trim-room", "propose", "buffers take what trimmed workers would have held"},
    {Rule::kTrimSlack, "trim-slack", "propose", "contended ops and processes have slack of their own"},
    {Rule::kCrowdedConsumer, "crowded-consumer", "propose",
     "workers on the consumer's core are trimmed at once"},
    {Rule::kAtOnceInMemory, "at-once-in-memory", "propose", "what fits beside what shrinks grows at once"},
    {Rule::kShedWorkers, "shed-workers", "propose", "workers give way where no buffers would fit"},
    {Rule::kOrderingSlots, "ordering-slots", "model", "room for what order holds up"},
    {Rule::kConsumerCore, "consumer-core", "model", "a consumer that computes has a core of its own"},
    {Rule::kSharedCores, "shared-cores", "model", "unless one worker more gives more than it takes"},
    {Rule::kWaitingOnTop, "waiting-on-top", "model",
     "ops that wait and compute get workers beyond the cores"},
    {Rule::kWaitHeadroom, "wait-headroom", "model", "spare workers where they wait"},
    {Rule::kCoreHeadroom, "core-headroom", "model", "spare workers where cores are the limit"},
    {Rule::kJustEnough, "just-enough", "model", "where cores are the limit a contended op gets just enough"},
    {Rule::kLock, "lock", "model", "ops under one lock run one at a time"},
    {Rule::kFillsCores, "fills-cores", "model", "an op that fills the cores is no limit of its own"},
    {Rule::kShards, "shards", "estimate", "a source's idle workers have nothing to read"},
    {Rule::kTakenCores, "taken-cores", "estimate",
     "cores that others took stay taken until half of them are back"},
    {Rule::kSaturated, "saturated", "estimate", "several workers teach a curve only while busy"},
    {Rule::kUnfinishedSizes, "unfinished-sizes", "estimate",
     "items that were never finished are as large as what they take"},
    {Rule::kRoofline, "roofline", "estimate",
     "readers of a storage do not disturb each other below its bandwidth"},
    {Rule::kReanchor, "reanchor", "estimate", "after a shift of cost a curve keeps its shape"},
    {Rule::kNoiseOfRise, "noise-of-rise", "estimate", "a rise below the noise is no contention"},
    {Rule::kBlur, "blur", "observe", "ratios near the graph's own are the graph's"},
    {Rule::kPauses, "pauses", "observe", "a usual standstill belongs to the pace"},
    {Rule::kTurnover, "turnover", "observe", "items that were inside during a change teach nothing"},
    {Rule::kCrowd, "crowd", "observe", "nor do those that began beside a crowd"},
    {Rule::kPhases, "phases", "observe", "each turn of a concat is planned for"},
});
static_assert(kRules.size() == static_cast<std::size_t>(Rule::kCount));

using Set = decltype(internal::left_out);

class LeftOut {
 public:
  explicit LeftOut(const Set& rules) { internal::left_out = rules; }
  LeftOut(const LeftOut&) = delete;
  LeftOut& operator=(const LeftOut&) = delete;
  ~LeftOut() { internal::left_out.reset(); }
};

class Without final : public Controller {
 public:
  explicit Without(const Set& rules) : rules_(rules), whole_(MakeAutoTune()) {}
  Decision Decide(const Snapshot& seen) override {
    const LeftOut out(rules_);
    return whole_->Decide(seen);
  }
  std::optional<Forecast> Foresee(const Snapshot& seen, const std::vector<KnobChange>& changes) override {
    const LeftOut out(rules_);
    return whole_->Foresee(seen, changes);
  }
  [[nodiscard]] std::vector<Belief> DebugState() const override { return whole_->DebugState(); }

 private:
  Set rules_;
  std::unique_ptr<Controller> whole_;
};

}  // namespace

std::vector<RuleInfo> Rules() {
  std::vector<RuleInfo> rules;
  for (const Entry& entry : kRules)
    rules.push_back({std::string(entry.name), std::string(entry.where), std::string(entry.what)});
  return rules;
}

std::unique_ptr<Controller> MakeAutoTuneWithout(std::string_view rules) {
  Set left_out;
  for (const auto& part : std::views::split(rules, '+')) {
    const std::string_view name(part.begin(), part.end());
    const auto entry = std::ranges::find(kRules, name, &Entry::name);
    if (entry == kRules.end()) return nullptr;
    left_out.set(static_cast<std::size_t>(entry->rule));
  }
  return std::make_unique<Without>(left_out);
}
#else
std::vector<RuleInfo> Rules() {
  return {};
}

std::unique_ptr<Controller> MakeAutoTuneWithout(std::string_view /*rules*/) {
  return nullptr;
}
#endif

}  // namespace sluice::autotune
