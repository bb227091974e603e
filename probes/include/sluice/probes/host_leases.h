// HostLeases: what each run of this user on this host asks of its cores, for all others to see. One small
// file beside the folder of segments; a run has a slot of it for as long as it holds a lock on it, and the
// kernel takes the lock back when its process ends, however it ends. Nobody waits for anybody, and there is
// no daemon. The last one to leave removes the file.
//
// What others have written is untrusted: a slot that nobody holds, that is being written, or that says what
// cannot be, counts as empty. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/error.h"
#include "sluice/base/fd.h"

namespace sluice::probes {

// What one run asks for.
struct CoreLease {
  int pid = 0;
  std::string program;  // what runs, for people
  double wanted = 0;    // cores that it could use now
  double most = 0;      // that it may use: quota and mask
  double used = 0;      // that it uses
  CpuSet cpus;          // its mask; those below kLeasedCpus
  friend bool operator==(const CoreLease&, const CoreLease&) = default;
};
inline constexpr int kLeasedCpus = 1024;
inline constexpr int kLeaseSlots = 64;

class HostLeases {
 public:
  // `folder`: of segments. Makes the file where there is none. Fails where it cannot be had, is somebody
  // else's, or has no free slot.
  [[nodiscard]] static Result<HostLeases> Join(const std::string& folder);
  HostLeases(HostLeases&&) noexcept = default;
  HostLeases& operator=(HostLeases&& other) noexcept;
  ~HostLeases();  // gives the slot back

  // Joins again where the file was removed meanwhile. False: it could not be written.
  bool Renew(const CoreLease& lease);
  [[nodiscard]] std::vector<CoreLease> Others() const;

 private:
  HostLeases(std::string path, Fd file, int slot)
      : path_(std::move(path)), file_(std::move(file)), slot_(slot) {}
  [[nodiscard]] static Result<HostLeases> Open(const std::string& path);
  [[nodiscard]] bool IsGone() const;
  [[nodiscard]] bool IsEmpty() const;  // but for a slot of ours
  void Leave();

  std::string path_;
  Fd file_;
  int slot_ = 0;
};

// A slot's bytes as they lie in the file, and back; nullopt: they say what cannot be.
inline constexpr std::size_t kLeaseBytes = 256;
[[nodiscard]] std::string FormatLease(const CoreLease& lease);
[[nodiscard]] std::optional<CoreLease> ParseLease(std::string_view bytes);

}  // namespace sluice::probes
