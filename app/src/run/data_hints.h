// What helps with the input data of a run: how to make those that are missing.
// Immutable functions; they look into the file system.
#pragma once
#include <string>

#include "sluice/runtime/description.h"

namespace sluice::app {

// "sluice data make cifar10 --out data/cifar10"; empty where the data are there or none are needed.
[[nodiscard]] std::string HowToMakeData(const runtime::PipelineDescription& pipeline);

}  // namespace sluice::app
