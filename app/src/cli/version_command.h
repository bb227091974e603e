// `sluice version`: which Sluice this is.
#pragma once

namespace sluice::app {

// Prints the version; `build` also prints what it was built from and with, a name and a value per line.
[[nodiscard]] int TellVersion(bool build);

}  // namespace sluice::app
