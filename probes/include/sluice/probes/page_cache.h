// How much of some files lies in the page cache now: reads of it need no disk. Asks cachestat(2), where the
// kernel has none mincore(2). Immutable functions; bounded, see CacheBounds.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/probes/data_sample.h"

namespace sluice::probes {

struct CacheBounds {
  Bytes window{8 << 20};  // of a large file so much is looked at in ...
  int windows = 8;        // ... so many places; smaller ones as a whole
  Nanos time = std::chrono::milliseconds(500);
};

struct CachedShare {
  std::uint64_t files = 0;   // that were looked at
  std::uint64_t hidden = 0;  // of others: the kernel tells nothing true of them
  Bytes looked{0};
  Bytes cached{0};    // of these
  bool whole = true;  // time sufficed for all
  bool by_cachestat = false;
};

// Whether the kernel tells this user what is cached of a file: of one's own, and of one that may be written.
// Of others mincore says that all of it is.
[[nodiscard]] bool MayTellCached(uid_t owner, uid_t user, bool writable);
// Of whole pages in `pages`, a byte each as mincore writes them: how many are there.
[[nodiscard]] std::uint64_t CountPresent(const std::vector<unsigned char>& pages);

[[nodiscard]] CachedShare LookAtPageCache(const std::vector<DataFile>& files, const CacheBounds& bounds = {});

}  // namespace sluice::probes
