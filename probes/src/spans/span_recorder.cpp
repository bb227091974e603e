#include "sluice/probes/span_recorder.h"

#include <sys/mman.h>

#include <optional>
#include <utility>

#include "spans/span_room.h"

namespace sluice::probes {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

// The mapped file. Stays mapped until the recorder goes: a worker may be writing into it.
class SpanRecorder::Room {
 public:
  static std::unique_ptr<Room> Map(const std::string& segment_path) {
    const auto file = OpenSpanRoom(segment_path);
    if (!file) return nullptr;
    void* start = mmap(nullptr, file->shape.size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd.get(), 0);
    if (start == MAP_FAILED) return nullptr;
    return std::unique_ptr<Room>(new Room(file->shape, static_cast<std::byte*>(start)));
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { munmap(start_, shape_.size); }

  // The track's ring; nullopt: all are taken.
  std::optional<std::uint32_t> RingOf(std::uint32_t track) {
    std::atomic<std::uint32_t>& place = header().ring_of[track];
    const std::uint32_t known = place.load(kRelaxed);
    if (known != 0) return known <= shape_.rings ? std::optional(known - 1) : std::nullopt;
    std::uint32_t next = header().rings_used.load(kRelaxed);
    while (next < shape_.rings) {
      if (!header().rings_used.compare_exchange_weak(next, next + 1, kRelaxed)) continue;
      place.store(next + 1, std::memory_order_release);
      return next;
    }
    header().dropped.fetch_add(1, kRelaxed);
    return std::nullopt;
  }
  segment::SpanRing& ring(std::uint32_t i) {
    return *reinterpret_cast<segment::SpanRing*>(start_ + shape_.RingAt(i));
  }
  segment::SpanEntry& span(std::uint32_t ring, std::uint64_t number) {
    return *reinterpret_cast<segment::SpanEntry*>(start_ + shape_.SpanAt(ring, number));
  }

 private:
  Room(const SpanRoomShape& shape, std::byte* start) : shape_(shape), start_(start) {}
  segment::SpansHeader& header() { return *reinterpret_cast<segment::SpansHeader*>(start_); }

  const SpanRoomShape shape_;
  std::byte* const start_;
};

SpanRecorder::SpanRecorder(const segment::Header& header, std::string path)
    : header_(header), path_(std::move(path)) {}

SpanRecorder::~SpanRecorder() {
  delete room_.load();
}

// Opened by whoever first has a span to write; the others go without until it is there.
SpanRecorder::Room* SpanRecorder::Find() {
  Room* room = room_.load(std::memory_order_acquire);
  if (room != nullptr || path_.empty()) return room;
  const std::int64_t until = header_.trace_until.load(kRelaxed);
  if (failed_for_.load(kRelaxed) == until || opening_.exchange(true, std::memory_order_acquire))
    return nullptr;
  room = room_.load(std::memory_order_acquire);
  if (room == nullptr) {
    room = Room::Map(path_).release();
    room_.store(room, std::memory_order_release);
    if (room == nullptr) failed_for_.store(until, kRelaxed);
  }
  opening_.store(false, std::memory_order_release);
  return room;
}

void SpanRecorder::Number(std::uint32_t track, const SpanItems& items) {
  Room* room = Find();
  if (room == nullptr || track >= segment::kTracks) return;
  const auto i = room->RingOf(track);
  if (!i) return;
  segment::SpanRing& ring = room->ring(*i);
  ring.in.store(items.in, kRelaxed);
  ring.out.store(items.out, kRelaxed);
  ring.counts.store(items.ins | std::uint64_t{items.outs} << 32, kRelaxed);
}

void SpanRecorder::Record(std::uint32_t track, segment::WorkerState state, std::int64_t since,
                          std::int64_t now) {
  using segment::WorkerState;
  if (state == WorkerState::kUnused || state == WorkerState::kRetired || now < since) return;
  Room* room = Find();
  if (room == nullptr || track >= segment::kTracks) return;
  const auto i = room->RingOf(track);
  if (!i) return;
  segment::SpanRing& ring = room->ring(*i);
  const std::uint64_t number = ring.written.load(kRelaxed);
  segment::SpanEntry& span = room->span(*i, number);
  // Whoever sees a word of this span also sees that the one it overwrites is going.
  std::atomic_thread_fence(std::memory_order_release);
  span.begin.store(since, kRelaxed);
  span.length.store(static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(since), kRelaxed);
  span.in.store(ring.in.load(kRelaxed), kRelaxed);
  span.out.store(ring.out.load(kRelaxed), kRelaxed);
  span.counts.store(ring.counts.load(kRelaxed), kRelaxed);
  ring.counts.store(0, kRelaxed);
  span.state.store(static_cast<std::uint64_t>(state), kRelaxed);
  ring.written.store(number + 1, std::memory_order_release);
}

}  // namespace sluice::probes
