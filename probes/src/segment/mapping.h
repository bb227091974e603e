// Mapping: a writable mapping of a file that somebody else made; unmapped by the destructor.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <span>
#include <utility>

#include "segment/segment_source.h"
#include "sluice/base/error.h"

namespace sluice::probes {

class Mapping {
 public:
  Mapping() = default;
  // REQUIRES: the source is a file opened for writing.
  [[nodiscard]] static Result<Mapping> Of(const SegmentSource& source);
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit Mapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

}  // namespace sluice::probes
