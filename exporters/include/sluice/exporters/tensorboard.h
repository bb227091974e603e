// A run as TensorBoard event files: scalars and texts beside the user's own curves. Immutable functions:
// values in, bytes of the file out, which may be cut behind any record.
//
// The file is a sequence of TFRecords (length, masked CRC-32C of it, data, masked CRC-32C of that; all
// little-endian), each an Event of tensorflow/core/util/event.proto. docs/tensorboard.md names the tags.
#pragma once
#include <cstdint>
#include <string>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {

// What every file begins with.
[[nodiscard]] std::string TensorBoardHeader(Nanos wall);
// The figures between two snapshots, at the step of the consumer's items.
[[nodiscard]] std::string TensorBoardScalars(const Snapshot& from, const Snapshot& to);
// A decision, in words, as of now: when it is made, and again when its fate is known.
[[nodiscard]] std::string TensorBoardDecision(const LoggedDecision& entry, const Snapshot& now,
                                              MonoTime run_start);

// "events.out.tfevents.1764025200.sluice.r-17f3": TensorBoard looks for "tfevents" in a name.
[[nodiscard]] std::string TensorBoardFileName(Nanos wall, const std::string& run_id);
// A pipeline's folder: its name with all but letters, digits, dots, dashes and underscores replaced; never
// empty, never "..".
[[nodiscard]] std::string TensorBoardFolderName(const std::string& pipeline);

}  // namespace sluice::exporters
