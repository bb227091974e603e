// A whole TOML file: bytes in, table out. What only an attack needs (endless files, tables nested until the
// stack ends) is refused first. Pure but for ReadTomlFile; any thread.
#pragma once
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::toml {

// `file` is for messages and for the places in them only. Throws nothing.
[[nodiscard]] Result<::toml::table> ParseToml(std::string_view text, std::string_view file);

// The bytes of a file that is at most a little longer than ParseToml accepts; errors name the path.
[[nodiscard]] Result<std::string> ReadTomlFile(const std::string& path);

}  // namespace sluice::toml
