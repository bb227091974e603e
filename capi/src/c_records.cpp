#include <algorithm>
#include <cstring>
#include <iterator>

#include "c_segment.h"
#include "c_status.h"

using sluice::capi::NoSegment;
using sluice::capi::Refuse;
using sluice::probes::SegmentView;
using sluice::probes::segment::RingRecord;

namespace {

static_assert(SLUICE_RECORD_SIZE == sizeof(RingRecord::text));

// False: it was overwritten meanwhile.
bool Copy(const RingRecord& record, uint64_t sequence, int64_t& at, char* text) {
  uint64_t words[std::size(RingRecord{}.text)];
  at = record.at.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < std::size(words); ++i)
    words[i] = record.text[i].load(std::memory_order_acquire);
  if (record.sequence.load(std::memory_order_relaxed) != sequence) return false;
  std::memcpy(text, words, sizeof(words));
  text[sizeof(words) - 1] = '\0';
  return true;
}

// The oldest that may be there still, where record `cursor` is gone and its place has this `sequence`.
uint64_t BehindTheGap(uint64_t cursor, uint64_t sequence, uint64_t places) {
  const uint64_t newer = (sequence - 1) / 2;
  return std::max(cursor, newer - std::min(newer, places)) + 1;
}

void Next(const SegmentView& view, uint64_t& cursor, int64_t& at, char* text) {
  const uint32_t places = view.decision_count();
  for (uint32_t looks = 0; looks <= places && places > 0 && text[0] == '\0'; ++looks) {
    const RingRecord& record = *view.decision(static_cast<uint32_t>(cursor % places));
    const uint64_t sequence = record.sequence.load(std::memory_order_acquire);
    if (sequence < 2 * cursor + 2) return;
    if (sequence == 2 * cursor + 2 && Copy(record, sequence, at, text))
      ++cursor;
    else
      cursor = BehindTheGap(cursor, sequence, places);
  }
}

}  // namespace

sluice_status sluice_next_record(const sluice_segment* segment, uint64_t* cursor, int64_t* at, char* text,
                                 size_t size) {
  if (segment == nullptr) return NoSegment();
  if (cursor == nullptr || at == nullptr || text == nullptr)
    return Refuse(SLUICE_INVALID, "an argument is NULL");
  if (size < SLUICE_RECORD_SIZE)
    return Refuse(SLUICE_INVALID, "the text of a record takes SLUICE_RECORD_SIZE bytes");
  text[0] = '\0';
  Next(segment->view, *cursor, *at, text);
  return SLUICE_OK;
}

int32_t sluice_rank(const sluice_segment* segment) {
  return segment == nullptr ? -1 : segment->view.header().rank;
}
