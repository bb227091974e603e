// The status of a process that was killed says whether it left a core. Where the command has left one, this
// process can only say so by leaving one too: an empty one, in a folder of its own that is removed at once.
#pragma once
#include <string>
#include <string_view>

namespace sluice::wrap {

// Whether cores go to the working folder under this kernel.core_pattern. Elsewhere (an absolute path, a
// collecting program) a core of ours would lie beside the command's, so none is made, and the flag stays off.
[[nodiscard]] bool GoesToWorkingFolder(std::string_view core_pattern);

// What this process dumps from now on: nothing, or next to nothing.
void AllowNoCore();
// Returns false where that is impossible.
[[nodiscard]] bool AllowEmptyCore();

}  // namespace sluice::wrap
