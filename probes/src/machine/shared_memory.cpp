#include "sluice/probes/shared_memory.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>

namespace sluice::probes {

Result<SharedMemory> ReadSharedMemory(const std::string& folder) {
  struct statvfs info;
  if (statvfs(folder.c_str(), &info) != 0) return Fail(fmt::format("{}: {}", folder, std::strerror(errno)));
  const auto bytes = [&](fsblkcnt_t blocks) {
    return Bytes{static_cast<std::int64_t>(blocks * info.f_frsize)};
  };
  return SharedMemory{.size = bytes(info.f_blocks), .free = bytes(info.f_bavail)};
}

}  // namespace sluice::probes
