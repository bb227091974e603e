// What values of options are checked for, with errors that say what is possible. Immutable functions.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>

namespace sluice::app {

[[nodiscard]] CLI::Validator Whole(std::uint64_t least, std::uint64_t most = UINT64_MAX);
[[nodiscard]] CLI::Validator CoreCount();

}  // namespace sluice::app
