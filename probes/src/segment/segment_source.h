// SegmentSource: where a segment's bytes are copied from. A file is read with pread, so that one that
// shrinks is a short read and not a signal; memory of this process with atomic loads, word by word, in
// rising order. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"

namespace sluice::probes {

class SegmentSource {
 public:
  // Refuses what is not a plain file or too large to be a segment.
  [[nodiscard]] static Result<SegmentSource> File(const std::string& path, bool writable);
  // REQUIRES: `bytes` begins at a multiple of 64.
  [[nodiscard]] static SegmentSource Memory(std::span<const std::byte> bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }  // as it was when opened
  [[nodiscard]] std::uint64_t SizeNow() const;
  [[nodiscard]] int file() const { return file_.get(); }

  // Fills `out`; what lies behind the end stays as it was. REQUIRES: multiples of 8.
  void Copy(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string name_;
  std::uint64_t size_ = 0;
  Fd file_;
  const std::byte* memory_ = nullptr;
};

}  // namespace sluice::probes
