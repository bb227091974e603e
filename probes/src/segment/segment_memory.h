// SegmentMemory: the pages of this process's segment, zero at first. Either a file that other processes
// can open, removed again by the destructor (not by that of a forked child), or private memory.
// One thread makes and destroys it.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"

namespace sluice::probes {

class SegmentMemory {
 public:
  // Throws std::bad_alloc when there is no memory.
  [[nodiscard]] static SegmentMemory Private(std::size_t size);
  // All pages are there when it returns: a full file system is an Error now, not a signal later.
  [[nodiscard]] static Result<SegmentMemory> Shared(const std::string& folder, std::size_t size);
  SegmentMemory(SegmentMemory&& other) noexcept;
  SegmentMemory& operator=(SegmentMemory&&) = delete;
  ~SegmentMemory();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }  // empty: private
  [[nodiscard]] bool made_by_this_process() const;

 private:
  SegmentMemory(std::span<std::byte> bytes, std::string path, Fd file);

  std::span<std::byte> bytes_;
  std::string path_;
  Fd file_;  // holds a lock that says: in use
  pid_t maker_;
};

}  // namespace sluice::probes
