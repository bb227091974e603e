#include "sluice/probes/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "sluice/base/clock.h"
#include "sluice/base/fd.h"

namespace sluice::probes {
namespace {

#ifdef SYS_cachestat
constexpr long kCachestat = SYS_cachestat;
#else
constexpr long kCachestat = 451;  // on every architecture, from Linux 6.5 on
#endif

struct CachestatRange {
  std::uint64_t offset, length;
};
struct CachestatCounts {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::int64_t PageSize() {
  static const std::int64_t size = sysconf(_SC_PAGE_SIZE);
  return size;
}

std::int64_t PagesOf(std::int64_t bytes) {
  return (bytes + PageSize() - 1) / PageSize();
}

std::optional<std::uint64_t> ByCachestat(int fd, std::int64_t offset, std::int64_t length) {
  CachestatRange range{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)};
  CachestatCounts counts{};
  if (syscall(kCachestat, fd, &range, &counts, 0) != 0) return std::nullopt;
  return counts.cached;
}

std::optional<std::uint64_t> ByMincore(int fd, std::int64_t offset, std::int64_t length) {
  void* const memory = mmap(nullptr, static_cast<std::size_t>(length), PROT_READ, MAP_SHARED, fd, offset);
  if (memory == MAP_FAILED) return std::nullopt;
  std::vector<unsigned char> pages(static_cast<std::size_t>(PagesOf(length)));
  const bool told = mincore(memory, static_cast<std::size_t>(length), pages.data()) == 0;
  munmap(memory, static_cast<std::size_t>(length));
  return told ? std::optional(CountPresent(pages)) : std::nullopt;
}

class Look {
 public:
  explicit Look(const CacheBounds& bounds) : bounds_(bounds), until_(MonoNow() + bounds.time) {}

  void At(const DataFile& file) {
    // O_NONBLOCK: a file may have become a pipe meanwhile.
    const Fd fd(open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!fd.valid() || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      ++share_.hidden;
      return;
    }
    const bool writable = access(file.path.c_str(), W_OK) == 0;
    if (!MayTellCached(status.st_uid, geteuid(), writable)) {
      ++share_.hidden;
      return;
    }
    if (status.st_size > 0) Windows(fd.get(), status.st_size);
  }

  [[nodiscard]] bool late() const { return MonoNow() > until_; }
  [[nodiscard]] CachedShare& share() { return share_; }

 private:
  void Windows(int fd, std::int64_t size) {
    const std::int64_t window = bounds_.window.count;
    const bool all = size <= window * bounds_.windows;
    const std::int64_t step = all ? window : (size - window) / std::max(1, bounds_.windows - 1);
    bool told = false;
    for (std::int64_t offset = 0; offset < size && !late(); offset += std::max(step, window)) {
      const std::int64_t begin = offset / PageSize() * PageSize();
      told = Window(fd, begin, std::min(window, size - begin)) || told;
    }
    ++(told ? share_.files : share_.hidden);
  }

  bool Window(int fd, std::int64_t offset, std::int64_t length) {
    auto pages = cachestat_ ? ByCachestat(fd, offset, length) : std::nullopt;
    if (pages) {
      share_.by_cachestat = true;
    } else {
      cachestat_ = cachestat_ && errno != ENOSYS;
      pages = ByMincore(fd, offset, length);
    }
    if (!pages) return false;
    share_.looked += Bytes{length};
    share_.cached += Bytes{std::min(static_cast<std::int64_t>(*pages) * PageSize(), length)};
    return true;
  }

  const CacheBounds bounds_;
  const MonoTime until_;
  CachedShare share_;
  bool cachestat_ = true;
};

}  // namespace

bool MayTellCached(uid_t owner, uid_t user, bool writable) {
  return user == 0 || owner == user || writable;
}

std::uint64_t CountPresent(const std::vector<unsigned char>& pages) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

CachedShare LookAtPageCache(const std::vector<DataFile>& files, const CacheBounds& bounds) {
  Look look(bounds);
  for (const DataFile& file : files) {
    if (look.late()) {
      look.share().whole = false;
      break;
    }
    look.At(file);
  }
  return look.share();
}

}  // namespace sluice::probes
