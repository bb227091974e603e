// `sluice version`: which Sluice this is.
#pragma once
#include <string>

namespace sluice::app {

// Prints the version; `build` also prints what it was built from and with, a name and a value per line.
[[nodiscard]] int TellVersion(bool build);

// The commit that the program was built from.
[[nodiscard]] std::string ProgramsCommit();

}  // namespace sluice::app
