// Where the files of one user are, as the XDG Base Directory Specification has it. They need not be there.
#pragma once
#include <string>

namespace sluice::app {

// What the user writes: $XDG_CONFIG_HOME/sluice/NAME, else ~/.config/sluice/NAME. Empty: there is no home.
[[nodiscard]] std::string ConfigFile(const std::string& name);
// What is kept from one start to the next: $XDG_STATE_HOME/sluice/NAME, else ~/.local/state/sluice/NAME.
[[nodiscard]] std::string StateFile(const std::string& name);

}  // namespace sluice::app
