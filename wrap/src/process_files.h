// Files of /proc/PID that tell what a process uses: pure parsers. Immutable functions.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::wrap {

// /proc/PID/io. A process is charged for the children that it has waited for.
struct ProcessIo {
  Bytes read{0}, written{0};                  // through system calls, files in memory and pipes included
  Bytes storage_read{0}, storage_written{0};  // from and to devices
};
[[nodiscard]] std::optional<ProcessIo> ParseProcessIo(std::string_view text);

// Whether /proc/PID/environ holds "NAME=value".
[[nodiscard]] bool HasVariable(std::string_view environment, std::string_view assignment);

}  // namespace sluice::wrap
