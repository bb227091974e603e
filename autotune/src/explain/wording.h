// Wording: how numbers and changes read in a sentence. Immutable functions.
#pragma once
#include <string>
#include <vector>

#include "estimate/estimates.h"
#include "setting/setting.h"
#include "watch/watch.h"

namespace sluice::autotune {

// "800 rows/s (12.5 batches/s)", or "800 rows/s" where the consumer takes rows. `rate` in consumer items/s.
[[nodiscard]] std::string InRows(const Graph& graph, double rate);
// "1 worker", "3 workers".
[[nodiscard]] std::string CountWorkers(std::int64_t n);
// A core count or another small number: "2", "1.97".
[[nodiscard]] std::string Plain(double n);
// "decode 1 -> 3 workers, decode.capacity 1 -> 8".
[[nodiscard]] std::string InWords(const Snapshot& seen, const std::vector<KnobChange>& changes);
// "decode takes longer per item than before: the present workers can give 800 rows/s (12.5 batches/s)".
// `rate` in consumer items/s. REQUIRES a shift of cost or demand.
[[nodiscard]] std::string InWords(const Graph& graph, const Shift& shift, double rate);
// Why the run holds a knob, with the remedy where there is one. REQUIRES it is held.
[[nodiscard]] std::string WhyHeld(HeldBecause held);

}  // namespace sluice::autotune
