#include "files/cannot_write.h"

#include <fmt/format.h>

#include <cstring>

namespace sluice::exporters {

std::unexpected<Error> CannotWrite(const std::string& path, int error) {
  return Fail(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

}  // namespace sluice::exporters
