// Builds what an op does from its description. The only place that knows all ops.
#pragma once
#include <memory>
#include <vector>

#include "memory_plan.h"
#include "op_logic.h"
#include "ops/source.h"
#include "sluice/base/error.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/runtime/description.h"

namespace sluice::runtime {

// Items that are to be replaced may reach the consumer.
[[nodiscard]] bool ReplacesAtTheEnd(const PipelineDescription& description);

struct MadeOps {
  std::vector<std::unique_ptr<OpLogic>> ops;  // in order
  const SourceLogic* source = nullptr;        // the first of them
};

// Opens data sets and compiles transforms. Errors name the op. `memory` has a place for each op and one for
// the consumer; it is settled.
[[nodiscard]] Result<MadeOps> MakeOps(const PipelineDescription& description, MemoryPlan& memory,
                                      probes::segment::Counter& epoch);

}  // namespace sluice::runtime
