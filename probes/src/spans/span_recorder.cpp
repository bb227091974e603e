#include "sluice/probes/span_recorder.h"

#include <sys/mman.h>

#include <array>
#include <iterator>
#include <utility>

#include "spans/span_room.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint64_t kShortNs = 100'000;       // less is told together with its neighbours
constexpr std::uint64_t kTogetherNs = 1'000'000;  // so much at a time

// Two numbers in one word: of items taken, and of items made.
constexpr std::uint64_t kTakenPart = 0xFFFF'FFFF;
std::uint64_t Pair(std::uint64_t taken, std::uint64_t made) {
  return taken | made << 32;
}
std::uint64_t Taken(std::uint64_t pair) {
  return pair & kTakenPart;
}
std::uint64_t Made(std::uint64_t pair) {
  return pair >> 32;
}

struct Items {
  std::uint64_t in = 0, out = 0, counts = 0, runs = 0;
};

// A run goes on where the first number of what comes is the one behind its last.
std::uint64_t Longer(std::uint64_t first, std::uint64_t count, std::uint64_t run, std::uint64_t next,
                     std::uint64_t more) {
  return count == run && (count == 0 || first + count == next) ? run + more : run;
}

void Gather(Items& all, const Items& more) {
  if (Taken(all.counts) == 0) all.in = more.in;
  if (Made(all.counts) == 0) all.out = more.out;
  all.runs = Pair(Longer(all.in, Taken(all.counts), Taken(all.runs), more.in, Taken(more.counts)),
                  Longer(all.out, Made(all.counts), Made(all.runs), more.out, Made(more.counts)));
  all.counts += more.counts;
}

// What one track is about to tell, and where; in the hands of its writer.
class alignas(64) Track {
 public:
  [[nodiscard]] bool placed() const { return ring_ != nullptr; }
  void Place(segment::SpanRing* ring, std::uint32_t spans) {
    ring_ = ring;
    spans_ = spans;
  }

  void Number(const SpanItems& items) { next_ = ItemsOf(items); }
  void Finish() { TellGathered(); }

  void Add(WorkerState state, std::int64_t since, std::uint64_t length, const SpanItems& told) {
    Items items = ItemsOf(told);
    if (next_.counts != 0) items = std::exchange(next_, {});
    const auto begin = static_cast<std::uint64_t>(since);
    if (length >= kShortNs) {
      TellGathered();
      return Write(state, begin, length, items);
    }
    if (gathering_ && begin + length - begin_ > kTogetherNs) TellGathered();
    if (!std::exchange(gathering_, true)) begin_ = begin;
    sums_[SumOf(state)] += length;
    if (items.counts != 0) Gather(items_, items);
  }

 private:
  // Told in this order.
  static constexpr WorkerState kStates[] = {WorkerState::kStarved, WorkerState::kBusy,
                                            WorkerState::kBackedUp};
  static std::size_t SumOf(WorkerState state) {
    if (state == WorkerState::kBusy) return 1;
    return state == WorkerState::kStarved ? 0 : 2;
  }
  static Items ItemsOf(const SpanItems& told) {
    const std::uint64_t counts = Pair(told.ins, told.outs);
    return {told.in, told.out, counts, counts};
  }

  void TellGathered() {
    if (!std::exchange(gathering_, false)) return;
    const Items items = std::exchange(items_, {});
    for (std::size_t i = 0; i < std::size(kStates); ++i) {
      const std::uint64_t length = std::exchange(sums_[i], 0);
      const bool busy = kStates[i] == WorkerState::kBusy;
      if (length > 0 || (busy && items.counts != 0))
        Write(kStates[i], begin_, length, busy ? items : Items{});
      begin_ += length;
    }
  }

  void Write(WorkerState state, std::uint64_t begin, std::uint64_t length, const Items& items) {
    const std::uint64_t written = ring_->written.load(kRelaxed);
    auto* const first = reinterpret_cast<segment::SpanEntry*>(ring_ + 1);
    segment::SpanEntry& span = first[written & (spans_ - 1)];
    // Whoever sees a word of this span also sees, by `written`, that the one it overwrites is going.
    constexpr auto kRelease = std::memory_order_release;
    span.begin.store(static_cast<std::int64_t>(begin), kRelease);
    span.length.store(length, kRelease);
    span.in.store(items.in, kRelease);
    span.out.store(items.out, kRelease);
    span.counts.store(items.counts, kRelease);
    span.runs.store(items.runs, kRelease);
    span.state.store(static_cast<std::uint64_t>(state), kRelease);
    ring_->written.store(written + 1, std::memory_order_release);
  }

  segment::SpanRing* ring_ = nullptr;
  std::uint32_t spans_ = 0;
  bool gathering_ = false;
  std::uint64_t begin_ = 0;  // of what is gathered
  std::uint64_t sums_[std::size(kStates)] = {};
  Items items_;
  Items next_;  // of the interval that ends next
};

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

  // nullptr: all rings are taken.
  Track* TrackOf(std::uint32_t track) {
    Track& found = tracks_[track];
    if (!found.placed()) {
      segment::SpanRing* const ring = Claim(track);
      if (ring == nullptr) return nullptr;
      found.Place(ring, shape_.spans);
    }
    return &found;
  }

 private:
  Room(const SpanRoomShape& shape, std::byte* start) : shape_(shape), start_(start) {}
  segment::SpansHeader& header() { return *reinterpret_cast<segment::SpansHeader*>(start_); }

  // Another process may have claimed it for the track.
  segment::SpanRing* Claim(std::uint32_t track) {
    std::atomic<std::uint32_t>& place = header().ring_of[track];
    const std::uint32_t known = place.load(kRelaxed);
    if (known != 0) return known <= shape_.rings ? At(known - 1) : nullptr;
    std::uint32_t next = header().rings_used.load(kRelaxed);
    while (next < shape_.rings) {
      if (!header().rings_used.compare_exchange_weak(next, next + 1, kRelaxed)) continue;
      place.store(next + 1, std::memory_order_release);
      return At(next);
    }
    header().dropped.fetch_add(1, kRelaxed);
    return nullptr;
  }
  segment::SpanRing* At(std::uint32_t ring) {
    return reinterpret_cast<segment::SpanRing*>(start_ + shape_.RingAt(ring));
  }

  const SpanRoomShape shape_;
  std::byte* const start_;
  std::array<Track, segment::kTracks> tracks_{};
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
  if (Track* const found = room->TrackOf(track); found != nullptr) found->Number(items);
}

void SpanRecorder::Finish(std::uint32_t track) {
  Room* room = room_.load(std::memory_order_acquire);
  if (room == nullptr || track >= segment::kTracks) return;
  if (Track* const found = room->TrackOf(track); found != nullptr) found->Finish();
}

void SpanRecorder::Record(std::uint32_t track, WorkerState state, std::int64_t since, std::int64_t now,
                          const SpanItems& items) {
  if (state == WorkerState::kUnused || state == WorkerState::kRetired || now < since) return;
  Room* room = Find();
  if (room == nullptr || track >= segment::kTracks) return;
  if (Track* const found = room->TrackOf(track); found != nullptr)
    found->Add(state, since, static_cast<std::uint64_t>(now - since), items);
}

}  // namespace sluice::probes
