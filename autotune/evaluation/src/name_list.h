// Lists of names as a command line has them: "sluice,ray". Immutable functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::evaluation {

// "there is no controller 'slice'; did you mean 'sluice'?", or all that there are where none is near. `what`:
// "controller".
[[nodiscard]] std::unexpected<Error> UnknownName(std::string_view name, std::string_view what,
                                                 const std::vector<std::string>& all);

// Those of `all` that `list` names, separated by commas, each once, in the order of `all`.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(std::string_view list, std::string_view what,
                                                       const std::vector<std::string>& all);

}  // namespace sluice::evaluation
