#include "segment/mapping.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace sluice::probes {

Result<Mapping> Mapping::Of(const SegmentSource& source) {
  void* start = mmap(nullptr, source.size(), PROT_READ | PROT_WRITE, MAP_SHARED, source.file(), 0);
  if (start == MAP_FAILED) {
    return Fail(fmt::format("{}: cannot map it: {}", source.name(), std::strerror(errno)));
  }
  return Mapping(std::span(static_cast<std::byte*>(start), source.size()));
}

}  // namespace sluice::probes
