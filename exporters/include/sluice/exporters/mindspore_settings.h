// Settings that were found, in the shape of the file that MindSpore's Dataset AutoTune saves, for readers and
// tools of that: a `remark`, a `summary` with a line per op, and a `tree` of ops from the last one down to
// the sources. Immutable functions.
//
// What it says is workers (num_parallel_workers) and the size of the queue behind each op (prefetch_size, in
// the tree connector_queue_size). It is no pipeline that MindSpore could build: its ops have parameters that
// Sluice does not know.
#pragma once
#include <string>

#include "sluice/base/snapshot.h"

namespace sluice::exporters {

// REQUIRES a graph. Ops are numbered from the consumer's side, the last one 0, as MindSpore does.
[[nodiscard]] std::string MindSporeSettingsJson(const Snapshot& now);

}  // namespace sluice::exporters
