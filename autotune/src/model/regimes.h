// What the regime of an op allows, in one table: no plan asks which regime it is. Values without a unit are
// factors. Immutable.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

#include "sluice/base/decision.h"
#include "sluice/base/regime.h"

namespace sluice::autotune {

inline constexpr double kAsPlanned = std::numeric_limits<double>::infinity();

// As of an op that computes.
struct Allowance {
  // Times its workers, per move: what computes cannot take more than the cores.
  double largest_jump = kAsPlanned;
  // So many of its workers more, one at least, are tried where the model misses nothing; nullopt: none.
  std::optional<double> step = 0.25;
  // Workers to spare where cores are the limit, in standard deviations of the ready ones: no core may idle
  // there. 0: only as many as cover the waiting ones.
  double core_headroom = 1.5;
  // Times as many workers as are needed, before a trim: those to spare wait, take no core, and are there when
  // the demand doubles.
  double trim_slack = 2.5;
  // More of them are of no use while others take the cores.
  bool needs_cores = true;
  // What limits where more workers were tried, or promise little.
  Limit no_more = Limit::kContention;
  const char* remedy = "make the op cheaper";
};

// In the order of Regime.
inline constexpr std::array<Allowance, 8> kAllowances = {{
    {},  // kUnknown
    {},  // kComputes
    // kWaits: its storage may be full, and then the first items of n workers take n times as long.
    {.largest_jump = 8,
     .needs_cores = false,
     .no_more = Limit::kStorage,
     .remedy = "shorten what it waits for"},
    // kContended: one worker more shows whether the peak is further on, at little cost; between two counts
    // its curve is the least known; more workers cost more cores.
    {.step = 0,
     .core_headroom = 0,
     .trim_slack = 1.1,
     .remedy = "look for a lock or shared memory traffic inside it"},
    // kStorage: a full one gives nothing more, and many readers harm it.
    {.largest_jump = 8,
     .step = 0,
     .core_headroom = 0,
     .needs_cores = false,
     .no_more = Limit::kStorage,
     .remedy = "cache the data, move it nearer or read fewer bytes"},
    {.no_more = Limit::kSerialOp, .remedy = "make it cheaper or split it"},  // kSerial
    // kSharded: a source that finds nothing more to read.
    {.needs_cores = false, .no_more = Limit::kStorage, .remedy = "split its data into more shards"},
    // kLocked: who queues for a lock is of no use.
    {.step = std::nullopt,
     .core_headroom = 0,
     .trim_slack = 1.1,
     .remedy = "use processes, or release the lock (most likely the interpreter's)"},
}};

[[nodiscard]] constexpr const Allowance& AllowedIn(Regime regime) {
  return kAllowances[static_cast<std::size_t>(regime)];
}

}  // namespace sluice::autotune
