// The command line of `sluice wrap` and `sluice doctor`. Program start only.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "doctor/doctor_command.h"
#include "wrap/wrap_command.h"

namespace sluice::app {

void AddWrap(CLI::App& app, WrapOptions& options);
void AddDoctor(CLI::App& app, DoctorOptions& options);

// A verb that is followed by somebody else's command line: takes that off `arguments` (in the order of argv,
// without the program's name) and returns it. The first `--` begins it, or the first word that is no option
// of the verb.
[[nodiscard]] std::vector<std::string> TakeCommand(const CLI::App& verb, std::vector<std::string>& arguments);

}  // namespace sluice::app
