// What documents and files call the values of enums: one table each, read both ways. Immutable functions.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "sluice/base/decision.h"
#include "sluice/base/knob.h"
#include "sluice/base/limit_words.h"

namespace sluice::exporters {

template <typename Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

inline constexpr auto kKnobKinds = std::to_array<EnumName<KnobKind>>({{KnobKind::kWorkers, "workers"},
                                                                      {KnobKind::kCapacity, "capacity"},
                                                                      {KnobKind::kPlacement, "placement"}});
inline constexpr auto kEffects =
    std::to_array<EnumName<TakesEffect>>({{TakesEffect::kLive, "live"},
                                          {TakesEffect::kNextEpoch, "next_epoch"},
                                          {TakesEffect::kNextRun, "next_run"}});
inline constexpr auto kHolders =
    std::to_array<EnumName<Holder>>({{Holder::kAuto, "auto"}, {Holder::kUser, "user"}});
inline constexpr auto kAuthors =
    std::to_array<EnumName<Author>>({{Author::kController, "controller"}, {Author::kUser, "user"}});
inline constexpr auto kFates = std::to_array<EnumName<Fate>>({{Fate::kTrial, "trial"},
                                                              {Fate::kKept, "kept"},
                                                              {Fate::kRolledBack, "rolled_back"},
                                                              {Fate::kAdvised, "advised"},
                                                              {Fate::kRejected, "rejected"}});
// kNot has none.
inline constexpr auto kHeldReasons =
    std::to_array<EnumName<HeldBecause>>({{HeldBecause::kAdvise, "advise"},
                                          {HeldBecause::kRandomDraws, "random_draws"},
                                          {HeldBecause::kOrder, "order"},
                                          {HeldBecause::kUnknown, "unknown_release"},
                                          {HeldBecause::kWatching, "watching"},
                                          {HeldBecause::kWorkerId, "worker_id"},
                                          {HeldBecause::kFailed, "failed"},
                                          {HeldBecause::kUnfit, "unfit"},
                                          {HeldBecause::kChanges, "changes"}});

inline constexpr auto kLimits =
    std::to_array({Limit::kUnknown, Limit::kConsumer, Limit::kOp, Limit::kSerialOp, Limit::kCores,
                   Limit::kMemory, Limit::kStorage, Limit::kContention});
// Of another name: not known.
[[nodiscard]] inline Limit LimitNamed(std::string_view name) {
  const auto found = std::ranges::find(kLimits, name, LimitName);
  return found == kLimits.end() ? Limit::kUnknown : *found;
}

inline constexpr auto kRegimes =
    std::to_array({Regime::kUnknown, Regime::kComputes, Regime::kWaits, Regime::kContended, Regime::kStorage,
                   Regime::kSerial, Regime::kSharded, Regime::kLocked});
// Of another name: not known.
[[nodiscard]] inline Regime RegimeNamed(std::string_view name) {
  const auto found = std::ranges::find(kRegimes, name, RegimeName);
  return found == kRegimes.end() ? Regime::kUnknown : *found;
}

// Empty: the value has no name.
template <typename Enum, std::size_t N>
[[nodiscard]] constexpr std::string_view NameOf(const std::array<EnumName<Enum>, N>& names, Enum value) {
  for (const auto& entry : names) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

template <typename Enum, std::size_t N>
[[nodiscard]] constexpr std::optional<Enum> Named(const std::array<EnumName<Enum>, N>& names,
                                                  std::string_view name) {
  for (const auto& entry : names) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

}  // namespace sluice::exporters
