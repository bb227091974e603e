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

// On which account (memory_plan.h) the memory of each op is, and behind them that of the consumer.
[[nodiscard]] std::vector<std::size_t> MemoryAccounts(const PipelineDescription& description);

struct MadeOps {
  std::vector<std::unique_ptr<OpLogic>> ops;  // in order
  std::vector<const SourceLogic*> sources;    // of them, in order
};

// Opens data sets and compiles transforms. Errors name the op. `memory` has the accounts
// of MemoryAccounts; it is settled.
[[nodiscard]] Result<MadeOps> MakeOps(const PipelineDescription& description, MemoryPlan& memory,
                                      probes::segment::Counter& epoch);

}  // namespace sluice::runtime
