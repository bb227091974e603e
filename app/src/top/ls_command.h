// `sluice ls`: the measured processes of this user.
#pragma once

namespace sluice::app {

// Prints the table; `clean` removes what dead processes have left.
[[nodiscard]] int ListRuns(bool clean);

}  // namespace sluice::app
