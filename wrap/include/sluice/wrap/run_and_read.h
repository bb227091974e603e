// Runs a short command to its end and returns what it has printed. No other threads are needed or harmed.
#pragma once
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/wrap/command.h"

namespace sluice::wrap {

// Standard input and standard error are /dev/null. A command that is not through after `longest` is killed.
[[nodiscard]] Result<std::string> RunAndRead(const Command& command, Nanos longest);

}  // namespace sluice::wrap
