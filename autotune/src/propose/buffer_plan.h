// BufferPlan: how many items each connector should hold.
//
// Near balance a connector of B slots costs about a / (2B) of the throughput, a = the sum of the squared
// coefficients of variation of both sides (diffusion approximation of a finite queue); off balance the loss
// decays by exp(-2 (1 - rho) / a) per slot, rho = the slower side's rate over the faster one's.
//
// Items leave in order: while one takes long, the n - 1 other workers fill the connector behind, and then
// all wait. Each item holds them up for (S - B / X)+ seconds, X = n / E[S] their rate, which costs the share
// n E[(S / E[S] - B / n)+] of the throughput; S is taken as lognormal. All that was held up then comes at
// once: without as many slots before the consumer it waits through the next gap.
//
// Under a byte limit the sum of these losses is made least: each byte goes where it saves most (Fox,
// "Discrete optimization via marginal analysis", 1966). Immutable functions.
#pragma once
#include <cstdint>
#include <vector>

#include "setting/setting.h"

namespace sluice::autotune {

struct BufferSide {
  double bytes = 0;        // per item
  double variability = 0;  // a
  double balance = 0;      // rho, 0..1
  double workers = 1;      // the greater number of the two sides: each may hold one item out of order
  double makers = 1;       // workers of the op before
  double in_order = 1;     // OrderingSlots of theirs
  double spread = 0;       // squared coefficient of variation of their time per item
  double gap = 0;  // items taken from it while an op further before waits for a slow item, to keep order
  Range range;     // allowed capacities
};

// The items that an op finishes in the longest wait for one of them, the rarest left out: slots that keep
// its workers from holding each other up for more than `loss` of the time.
[[nodiscard]] double OrderingSlots(double makers, double spread, double loss);

// The least capacity that costs at most `loss` of the throughput.
[[nodiscard]] std::int64_t WantedCapacity(const BufferSide& side, double loss);

// `wanted`, or where it would hold more than `bytes` those capacities up to it that cost least together. None
// falls below its range.
[[nodiscard]] std::vector<std::int64_t> FitCapacities(const std::vector<BufferSide>& sides,
                                                      const std::vector<std::int64_t>& wanted, double bytes);

// The most that may come to be held: behind each op capacity + workers - 1 items, finished or in the making,
// and in each of its workers what the item is made from, unless the op passes that on.
[[nodiscard]] double HeldBytes(const Graph& graph, const std::vector<double>& bytes_per_item,
                               const Setting& setting);

}  // namespace sluice::autotune
