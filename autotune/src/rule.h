// The rules of the controller that `bench/ablate` leaves out, one or several, to see what each is worth. Only
// in a build with SLUICE_ABLATION can one be left out; in any other the switch is not there.
#pragma once
#include <cstdint>
#ifdef SLUICE_ABLATION
#include <bitset>
#include <cstddef>
#endif

namespace sluice::autotune {

enum class Rule : std::uint8_t {
  // When it looks and decides
  kFirstLook,
  kStandsOut,
  kUrgency,
  kOnceMore,
  kNudge,
  kDescent,
  kClearGain,
  kTrim,
  kTrimRange,
  // What failures teach
  kFailureCaps,
  kFailureMemory,
  kTrust,
  kMostFailures,
  kTakeBack,
  kUselessTrim,
  // How a change is judged
  kOutdated,
  kCollapse,
  kTrimCost,
  kDemandEndsTrim,
  kHearsay,
  kBlame,
  kConsumerSettles,
  kStartUp,
  kSetAside,
  // What is watched at rest
  kWatchCost,
  kWatchDemand,
  kWatchRate,
  // What is planned
  kOthersCores,
  kTrimGivesBack,
  kContendedDown,
  kWastedCores,
  kJump,
  kBufferStep,
  kHeldUpItems,
  kReaction,
  kRunnerUp,
  kTrimSlack,
  kTrimAlong,
  kTrimRoom,
  kCrowdedConsumer,
  kAtOnceInMemory,
  kShedWorkers,
  kOrderingSlots,
  // What is modelled
  kConsumerCore,
  kSharedCores,
  kWaitingOnTop,
  kWaitHeadroom,
  kCoreHeadroom,
  kJustEnough,
  kLock,
  kFillsCores,
  // What is estimated
  kShards,
  kTakenCores,
  kSaturated,
  kUnfinishedSizes,
  kRoofline,
  kReanchor,
  kNoiseOfRise,
  // What is observed
  kBlur,
  kPauses,
  kTurnover,
  kCrowd,
  kPhases,
  kCount,
};

#ifdef SLUICE_ABLATION
namespace internal {
extern thread_local std::bitset<static_cast<std::size_t>(Rule::kCount)> left_out;
}
inline bool On(Rule rule) {
  return !internal::left_out[static_cast<std::size_t>(rule)];
}
#else
constexpr bool On(Rule /*rule*/) {
  return true;
}
#endif

}  // namespace sluice::autotune
