// What EpochJudge reads from a snapshot of a wrapped loader: its two knobs, and the parts that tell of
// workers' starts. Pure functions of the snapshot, on whatever thread; what they point to is its own.
#pragma once
#include <cstdint>
#include <optional>

#include "epochs/epoch_ledger.h"
#include "sluice/base/snapshot.h"

namespace sluice::app {

// The loader's knob of that kind; nullptr: it has none.
[[nodiscard]] const Knob* FindKnob(const Snapshot& seen, KnobKind kind);
// What is in force; nullopt: it has no such knobs.
[[nodiscard]] std::optional<EpochSetting> EpochSettingOf(const Snapshot& seen);
// In which the training loop was at work or waited for a batch.
[[nodiscard]] double ActiveSeconds(const Snapshot& seen);
// The part of the graph that counts the workers that were started, and the CPU time of that; nullptr: none.
[[nodiscard]] const OpReading* StartUpOf(const Snapshot& seen);
// Workers that were started.
[[nodiscard]] std::uint64_t StartsOf(const Snapshot& seen);

}  // namespace sluice::app
