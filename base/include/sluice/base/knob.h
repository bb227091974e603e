// Knob: something that may be changed while the run goes on.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace sluice {

enum class KnobKind : std::uint8_t { kWorkers = 0, kCapacity = 1, kPlacement = 2 };
enum class TakesEffect : std::uint8_t { kLive = 0, kNextEpoch = 1, kNextRun = 2 };
enum class Holder : std::uint8_t { kAuto = 0, kUser = 1 };  // kUser: pinned, the controller leaves it alone

// Why the run itself keeps a knob where it is, as in the segment; the controller leaves it alone then, too.
enum class HeldBecause : std::uint8_t {
  kNot = 0,
  kAdvise = 1,       // nothing is to be touched
  kRandomDraws = 2,  // random draws would come out otherwise
  kOrder = 3,        // rows would come in another order
  kUnknown = 4,      // not known how to change it in this version of what is measured
  kWatching = 5,     // for now: not known yet whether it would change a result
  kWorkerId = 6,     // rows depend on which worker fetches them, or on how many there are
  kFailed = 7,       // a worker raised an error after a change
  kUnfit = 8,        // more workers would share or lack what rows need: a connection, threads, a device
  kChanges = 9,      // rows change their data set, or the consumer does so meanwhile
};

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
  HeldBecause held = HeldBecause::kNot;  // else holder is kUser
  std::uint64_t generation = 0;          // grows with each applied change

  friend bool operator==(const Knob&, const Knob&) = default;
};

}  // namespace sluice
