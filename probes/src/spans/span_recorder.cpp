#include "sluice/probes/span_recorder.h"

#include <sys/mman.h>

#include <optional>
#include <utility>

#include "spans/span_room.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint64_t kTogetherNs = 100'000;

std::uint64_t Counts(const SpanItems& items) {
  return items.ins | std::uint64_t{items.outs} << 32;
}

std::uint64_t Taken(std::uint64_t counts) {
  return counts & 0xFFFF'FFFF;
}
std::uint64_t Made(std::uint64_t counts) {
  return counts >> 32;
}

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

// One ring, in the hands of its writer.
class SpanRecorder::Track {
 public:
  Track(Room& room, std::uint32_t ring) : room_(room), number_(ring), ring_(room.ring(ring)) {}

  void Add(WorkerState state, std::int64_t since, std::uint64_t length) {
    const std::uint64_t in = ring_.in.load(kRelaxed), out = ring_.out.load(kRelaxed);
    const std::uint64_t counts = ring_.counts.load(kRelaxed);
    ring_.counts.store(0, kRelaxed);
    const auto begin = static_cast<std::uint64_t>(since);
    if (length >= kTogetherNs) {
      TellGathered();
      return Write(state, begin, length, counts == 0 ? Items{} : Items{in, out, counts});
    }
    if (Get(kLast) != 0 && (begin + length - Get(kBegin) > kTogetherNs || !Continues(in, out, counts)))
      TellGathered();
    if (Get(kLast) == 0) Set(kBegin, begin);
    Set(kLast, begin + length);
    const Word sum = state == WorkerState::kBusy      ? kBusy
                     : state == WorkerState::kStarved ? kStarved
                                                      : kBackedUp;
    Set(sum, Get(sum) + length);
    const std::uint64_t so_far = Get(kCounts);
    if (Taken(so_far) == 0) Set(kIn, in);
    if (Made(so_far) == 0) Set(kOut, out);
    Set(kCounts, so_far + counts);
  }

 private:
  // Of `gathered`. kLast: the end of the last interval; 0: nothing is gathered.
  enum Word : std::uint8_t { kBegin, kLast, kStarved, kBusy, kBackedUp, kIn, kOut, kCounts };
  struct Items {
    std::uint64_t in = 0, out = 0, counts = 0;
  };
  [[nodiscard]] std::uint64_t Get(Word word) const { return ring_.gathered[word].load(kRelaxed); }
  void Set(Word word, std::uint64_t value) { ring_.gathered[word].store(value, kRelaxed); }

  // Items are told as one run of numbers.
  [[nodiscard]] bool Continues(std::uint64_t in, std::uint64_t out, std::uint64_t counts) const {
    const std::uint64_t so_far = Get(kCounts);
    if (so_far == 0 || counts == 0) return true;
    const bool in_order = Taken(so_far) == 0 || Taken(counts) == 0 || Get(kIn) + Taken(so_far) == in;
    return in_order && (Made(so_far) == 0 || Made(counts) == 0 || Get(kOut) + Made(so_far) == out);
  }

  void TellGathered() {
    if (Get(kLast) == 0) return;
    std::uint64_t begin = Get(kBegin);
    const Items items{Get(kIn), Get(kOut), Get(kCounts)};
    const std::pair<Word, WorkerState> states[] = {
        {kStarved, WorkerState::kStarved}, {kBusy, WorkerState::kBusy}, {kBackedUp, WorkerState::kBackedUp}};
    for (const auto& [word, state] : states) {
      const std::uint64_t length = Get(word);
      if (length > 0 || (state == WorkerState::kBusy && items.counts != 0))
        Write(state, begin, length, state == WorkerState::kBusy ? items : Items{});
      begin += length;
      Set(word, 0);
    }
    Set(kCounts, 0);
    Set(kLast, 0);
  }

  void Write(WorkerState state, std::uint64_t begin, std::uint64_t length, const Items& items) {
    const std::uint64_t written = ring_.written.load(kRelaxed);
    segment::SpanEntry& span = room_.span(number_, written);
    // Whoever sees a word of this span also sees, by `written`, that the one it overwrites is going.
    constexpr auto kRelease = std::memory_order_release;
    span.begin.store(static_cast<std::int64_t>(begin), kRelease);
    span.length.store(length, kRelease);
    span.in.store(items.in, kRelease);
    span.out.store(items.out, kRelease);
    span.counts.store(items.counts, kRelease);
    span.state.store(static_cast<std::uint64_t>(state), kRelease);
    ring_.written.store(written + 1, std::memory_order_release);
  }

  Room& room_;
  const std::uint32_t number_;
  segment::SpanRing& ring_;
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
  ring.counts.store(Counts(items), kRelaxed);
}

void SpanRecorder::Record(std::uint32_t track, segment::WorkerState state, std::int64_t since,
                          std::int64_t now) {
  if (state == WorkerState::kUnused || state == WorkerState::kRetired || now < since) return;
  Room* room = Find();
  if (room == nullptr || track >= segment::kTracks) return;
  const auto i = room->RingOf(track);
  if (!i) return;
  Track(*room, *i).Add(state, since, static_cast<std::uint64_t>(now - since));
}

}  // namespace sluice::probes
