#include "process_files.h"

#include <algorithm>

#include "sluice/probes/proc_files.h"

namespace sluice::wrap {

std::optional<ProcessIo> ParseProcessIo(std::string_view text) {
  const auto read = probes::FindCount(text, "rchar"), written = probes::FindCount(text, "wchar");
  const auto storage_read = probes::FindCount(text, "read_bytes"),
             storage_written = probes::FindCount(text, "write_bytes");
  if (!read || !written || !storage_read || !storage_written) return std::nullopt;
  return ProcessIo{{*read}, {*written}, {*storage_read}, {*storage_written}};
}

bool HasVariable(std::string_view environment, std::string_view assignment) {
  while (!environment.empty()) {
    const auto end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == assignment) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

}  // namespace sluice::wrap
