#include "sluice/probes/host_leases.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "segment/utf8.h"

namespace sluice::probes {
namespace {

constexpr std::size_t kWords = kLeasedCpus / 64;
constexpr double kMostCores = 1 << 20;

// Little-endian, in the file at kLeaseBytes times the slot's number.
struct Slot {
  std::uint64_t checksum;  // of all that follows; 0: empty
  std::int64_t pid;
  double wanted, most, used;
  std::uint64_t cpus[kWords];
  char program[kLeaseBytes - (5 + kWords) * 8];
};
static_assert(sizeof(Slot) == kLeaseBytes);

// FNV-1a; tells bytes of two writes apart, no more.
std::uint64_t Checksum(const Slot& slot) {
  std::array<unsigned char, kLeaseBytes> bytes;
  std::memcpy(bytes.data(), &slot, kLeaseBytes);
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = sizeof(slot.checksum); i < bytes.size(); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  return std::max<std::uint64_t>(hash, 1);
}

bool IsCount(double cores) {
  return std::isfinite(cores) && cores >= 0 && cores <= kMostCores;
}

off_t PlaceOf(int slot) {
  return static_cast<off_t>(slot) * static_cast<off_t>(kLeaseBytes);
}

struct flock LockOn(int slot) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = PlaceOf(slot);
  lock.l_len = 1;
  return lock;
}

// By another open file; one's own lock is in nobody's way.
bool IsHeld(int file, int slot) {
  struct flock lock = LockOn(slot);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace

std::string FormatLease(const CoreLease& lease) {
  Slot slot = {};
  slot.pid = lease.pid;
  slot.wanted = lease.wanted;
  slot.most = lease.most;
  slot.used = lease.used;
  for (const int cpu : lease.cpus.Cpus()) {
    if (cpu < kLeasedCpus) slot.cpus[cpu / 64] |= std::uint64_t{1} << cpu % 64;
  }
  const std::string_view program = CutUtf8(lease.program, sizeof(slot.program) - 1);
  std::ranges::copy(program, slot.program);
  slot.checksum = Checksum(slot);
  return {reinterpret_cast<const char*>(&slot), kLeaseBytes};
}

std::optional<CoreLease> ParseLease(std::string_view bytes) {
  if (bytes.size() != kLeaseBytes) return std::nullopt;
  Slot slot;
  std::memcpy(&slot, bytes.data(), kLeaseBytes);
  const bool sound = slot.checksum == Checksum(slot) && slot.pid > 0 && slot.pid <= INT32_MAX &&
                     IsCount(slot.wanted) && IsCount(slot.most) && IsCount(slot.used) &&
                     std::memchr(slot.program, 0, sizeof(slot.program)) != nullptr;
  if (!sound) return std::nullopt;
  CoreLease lease{.pid = static_cast<int>(slot.pid),
                  .program = PrintableUtf8(slot.program),
                  .wanted = slot.wanted,
                  .most = slot.most,
                  .used = slot.used,
                  .cpus = {}};
  for (int cpu = 0; cpu < kLeasedCpus; ++cpu) {
    if ((slot.cpus[cpu / 64] >> cpu % 64 & 1) != 0) lease.cpus.Add(cpu);
  }
  return lease;
}

Result<HostLeases> HostLeases::Join(const std::string& folder) {
  return Open(folder + ".cores");
}

Result<HostLeases> HostLeases::Open(const std::string& path) {
  Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat info;
  if (!file.valid() || fstat(file.get(), &info) != 0)
    return Fail(fmt::format("{}: {}", path, std::strerror(errno)));
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0)
    return Fail(fmt::format("{}: it is not a file of this user alone; remove it", path));
  for (int slot = 0; slot < kLeaseSlots; ++slot) {
    struct flock lock = LockOn(slot);
    if (fcntl(file.get(), F_OFD_SETLK, &lock) == 0) {
      const std::string empty(kLeaseBytes, '\0');  // what the one before it has left
      static_cast<void>(pwrite(file.get(), empty.data(), empty.size(), PlaceOf(slot)));
      return HostLeases(path, std::move(file), slot);
    }
    if (errno != EAGAIN && errno != EACCES)
      return Fail(fmt::format("{}: cannot be locked: {}", path, std::strerror(errno)));
  }
  return Fail(fmt::format("{}: {} runs share this host already", path, kLeaseSlots));
}

HostLeases::~HostLeases() {
  Leave();
}

HostLeases& HostLeases::operator=(HostLeases&& other) noexcept {
  Leave();
  path_ = std::move(other.path_);
  file_ = std::move(other.file_);
  slot_ = other.slot_;
  return *this;
}

// The slot is given back first: of several that leave at once the last one then finds all of them free. One
// that comes at this very moment notices that its file is gone when it renews.
void HostLeases::Leave() {
  if (!file_.valid()) return;
  struct flock lock = LockOn(slot_);
  lock.l_type = F_UNLCK;
  const bool left = fcntl(file_.get(), F_OFD_SETLK, &lock) == 0;
  if (left && !IsGone() && IsEmpty()) unlink(path_.c_str());
  file_ = Fd();
}

bool HostLeases::IsEmpty() const {
  struct flock lock = LockOn(0);
  lock.l_len = PlaceOf(kLeaseSlots);
  return fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

// The name may be another file's by now.
bool HostLeases::IsGone() const {
  struct stat info;
  return fstat(file_.get(), &info) == 0 && info.st_nlink == 0;
}

bool HostLeases::Renew(const CoreLease& lease) {
  if (IsGone()) {
    auto again = Open(path_);
    if (!again) return false;
    file_ = std::move(again->file_);
    slot_ = again->slot_;
  }
  const std::string bytes = FormatLease(lease);
  return pwrite(file_.get(), bytes.data(), bytes.size(), PlaceOf(slot_)) ==
         static_cast<ssize_t>(bytes.size());
}

std::vector<CoreLease> HostLeases::Others() const {
  std::string bytes(kLeaseBytes * kLeaseSlots, '\0');
  const ssize_t n = pread(file_.get(), bytes.data(), bytes.size(), 0);
  std::vector<CoreLease> others;
  for (int slot = 0; slot < kLeaseSlots && PlaceOf(slot + 1) <= n; ++slot) {
    if (slot == slot_) continue;
    auto lease =
        ParseLease(std::string_view(bytes).substr(static_cast<std::size_t>(PlaceOf(slot)), kLeaseBytes));
    if (lease && IsHeld(file_.get(), slot)) others.push_back(std::move(*lease));
  }
  return others;
}

}  // namespace sluice::probes
