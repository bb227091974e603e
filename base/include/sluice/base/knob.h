// Knob: something that may be changed while the run goes on.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace sluice {

enum class KnobKind : std::uint8_t { kWorkers = 0, kCapacity = 1, kPlacement = 2 };
enum class TakesEffect : std::uint8_t { kLive = 0, kNextEpoch = 1, kNextRun = 2 };
enum class Holder : std::uint8_t { kAuto = 0, kUser = 1 };  // kUser: pinned, the controller leaves it alone

// `target` is an op's index for kWorkers and kPlacement, a connector's index for kCapacity.
struct KnobId {
  KnobKind kind = KnobKind::kWorkers;
  std::uint32_t target = 0;
  friend constexpr auto operator<=>(KnobId, KnobId) = default;
};

struct Knob {
  KnobId id;
  std::string name;            // "decode.workers", "decode.capacity" (the connector behind decode)
  std::int64_t value = 1;      // what is in force
  std::int64_t requested = 1;  // what was asked for last; differs from value until it is applied
  std::int64_t min = 1;
  std::int64_t max = 1;
  TakesEffect takes_effect = TakesEffect::kLive;
  Holder holder = Holder::kAuto;
  std::uint64_t generation = 0;  // grows with each applied change

  friend bool operator==(const Knob&, const Knob&) = default;
};

}  // namespace sluice
