// Regime: what sets the pace of an op, as far as what was seen of it tells. Immutable functions.
#pragma once
#include <cstdint>
#include <string_view>

namespace sluice {

enum class Regime : std::uint8_t {
  kUnknown = 0,    // nothing was seen of it yet
  kComputes = 1,   // its workers are on a core for most of an item's time
  kWaits = 2,      // off it for most of the time: storage, network, a lock, a sleep
  kContended = 3,  // its workers slow each other down
  kStorage = 4,    // it waits, and its readers together have all that the storage gives
  kSerial = 5,     // it can have one worker only
  kSharded = 6,    // it reads from so few shards that workers find nothing to read
  kLocked = 7,     // one lock lets one of its workers on at a time, or of others that share it
};

// "computes", "waits", "contended", "storage", "serial", "sharded", "locked"; "" where it is not known.
[[nodiscard]] std::string_view RegimeName(Regime regime);

}  // namespace sluice
