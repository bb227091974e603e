// Which pipeline of a recorded run is shown.
#pragma once
#include <cstddef>
#include <string>

#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::app {

// An index into pipelines(): the one with `loader` in its name; of several, the one with most items in it: a
// loader that is made anew for each epoch has its name often. An error lists the names that there are.
[[nodiscard]] Result<std::size_t> ChoosePipeline(const exporters::SessionReader& session,
                                                 const std::string& loader);

}  // namespace sluice::app
