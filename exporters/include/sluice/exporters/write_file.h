// WriteFile: puts a whole file in place, or leaves what was there.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::exporters {

// Writes beside `path`, then renames: a reader never sees half a file, and a full disk leaves the old one.
// Something that exists and is no regular file (/dev/stdout, a pipe) is written to directly. Errors name the
// file and the cause.
[[nodiscard]] Result<void> WriteFile(const std::string& path, std::string_view text);

}  // namespace sluice::exporters
