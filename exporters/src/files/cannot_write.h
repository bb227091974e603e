// What is said of a file that cannot be written. An immutable function.
#pragma once
#include <string>

#include "sluice/base/error.h"

namespace sluice::exporters {

// "cannot write result.json: No space left on device". `error`: an errno value.
[[nodiscard]] std::unexpected<Error> CannotWrite(const std::string& path, int error);

}  // namespace sluice::exporters
