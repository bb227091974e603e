#include "segment/ring_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "segment/utf8.h"

namespace sluice::probes {

RingLog::RingLog(std::span<segment::RingRecord> records) : records_(records) {
  for (const segment::RingRecord& record : records_) {
    next_ = std::max(next_, record.sequence.load(std::memory_order_acquire) / 2);
  }
}

void RingLog::Append(std::int64_t at_mono, std::string_view text) {
  constexpr std::size_t kWords = std::size(segment::RingRecord{}.text);
  std::uint64_t words[kWords];
  PutText(reinterpret_cast<char*>(words), sizeof(words), text);

  const MutexLock lock(mutex_);
  const std::uint64_t k = next_++;
  segment::RingRecord& record = records_[k % records_.size()];
  record.sequence.store(2 * k + 1, std::memory_order_relaxed);
  record.at.store(at_mono, std::memory_order_release);
  for (std::size_t i = 0; i < kWords; ++i) record.text[i].store(words[i], std::memory_order_release);
  record.sequence.store(2 * k + 2, std::memory_order_release);
}

}  // namespace sluice::probes
