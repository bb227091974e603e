// The room for spans, byte by byte: a file beside a telemetry segment, made only when somebody traces. The
// workers of the run write into it what each of them did and when; docs/telemetry-segment.md describes it.
//
// `<segment>.spans`, mode 0600, all of its space reserved before it gets its name. It stays until the run
// ends, since a writer may be at work in it at any moment. A ring has one writer at a time, that of its
// track.
#pragma once
#include <atomic>
#include <cstdint>

#include "sluice/probes/segment_layout.h"

namespace sluice::probes::segment {

inline constexpr char kSpansMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'S', 'P'};
inline constexpr std::uint32_t kSpansMajor = 2;
inline constexpr const char* kSpansSuffix = ".spans";
// A track is a worker slot, or the consumer behind the last of them.
inline constexpr std::uint32_t kConsumerTrack = kMaxWorkers;
inline constexpr std::uint32_t kTracks = kMaxWorkers + 1;

// What a worker did between two moments. Numbers of items count those of one connector, from 0.
struct SpanEntry {
  Gauge begin;     // ns, monotonic
  Counter length;  // ns
  Counter in;      // the first item taken from the connector before the op
  Counter out;     // the first item put into the connector behind it
  Counter counts;  // items taken | items put << 32; 0: not known, or none
  Counter runs;    // how many of them, from the first one on, have numbers without a gap
  Counter state;   // WorkerState
};

struct alignas(64) SpanRing {
  Counter written;  // spans ever; span k is in place k modulo the ring's length, newer ones overwrite older
  // SpanEntry[ring_spans]
};

struct alignas(64) SpansHeader {
  char magic[8];
  std::uint32_t major;
  std::uint32_t ring_count;
  std::uint32_t ring_spans;   // a power of two
  std::uint32_t ring_stride;  // bytes from one ring to the next
  std::uint64_t rings_offset;
  std::uint64_t total_size;
  std::atomic<std::uint32_t> rings_used;
  std::uint32_t reserved;
  Counter dropped;                              // spans of tracks that found no ring left
  std::atomic<std::uint32_t> ring_of[kTracks];  // 1 + the ring of a track; 0: it has none yet
};

}  // namespace sluice::probes::segment
