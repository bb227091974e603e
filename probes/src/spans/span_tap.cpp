#include "sluice/probes/span_tap.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "segment/mapping.h"
#include "segment/section_copy.h"
#include "segment/segment_shape.h"
#include "segment/segment_source.h"
#include "spans/span_room.h"

namespace sluice::probes {
namespace {

using segment::SpanEntry;
using segment::SpansHeader;
using segment::WorkerSlot;
using segment::WorkerState;

constexpr std::uint32_t kSpansSince = 3;  // minor version

std::uint32_t WorkersIn(const SegmentShape& shape, const SegmentSource& source) {
  HeaderCopy header;
  header.Renew(source);
  return std::min(header->workers_used.load(std::memory_order_relaxed), shape.workers.count);
}

// As many as there may be workers, and the consumer's.
std::uint32_t RingsFor(const SegmentShape& shape, std::uint32_t workers) {
  std::vector<std::int64_t> most(shape.graph->ops.size(), 1);
  for (const Knob& knob : shape.knobs_at_start) {
    if (knob.id.kind == KnobKind::kWorkers)
      most[knob.id.target] = std::clamp<std::int64_t>(knob.max, 1, segment::kMaxWorkers);
  }
  const std::int64_t all = std::accumulate(most.begin(), most.end(), std::int64_t{1});
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(all, workers + 1, segment::kTracks));
}

std::optional<SpanState> StateOf(std::uint64_t state) {
  switch (static_cast<WorkerState>(state)) {
    case WorkerState::kStarved:
      return SpanState::kStarved;
    case WorkerState::kBackedUp:
      return SpanState::kBackedUp;
    case WorkerState::kBusy:
      return SpanState::kBusy;
    default:
      return std::nullopt;
  }
}

// A SpanEntry as words of our own.
using SpanWords = std::array<std::uint64_t, 7>;
static_assert(sizeof(SpanWords) == sizeof(SpanEntry));

std::uint32_t Taken(std::uint64_t counts) {
  return static_cast<std::uint32_t>(counts);
}
std::uint32_t Made(std::uint64_t counts) {
  return static_cast<std::uint32_t>(counts >> 32);
}

// nullopt: nothing that a worker can have done.
std::optional<WorkerSpan> ReadSpan(const SpanWords& words, std::uint32_t track) {
  const auto& [begun, length, in, out, counts, runs, as] = words;
  const auto state = StateOf(as);
  const auto begin = static_cast<std::int64_t>(begun);
  if (!state || begin < 0 || length > static_cast<std::uint64_t>(INT64_MAX - begin)) return std::nullopt;
  return WorkerSpan{track,
                    *state,
                    MonoTime(begin),
                    Nanos(static_cast<std::int64_t>(length)),
                    {in, Taken(counts), std::min(Taken(runs), Taken(counts))},
                    {out, Made(counts), std::min(Made(runs), Made(counts))}};
}

template <typename Entry>
std::optional<WorkerSpan> OpenSpan(const Entry& entry, std::uint32_t track, MonoTime now) {
  const auto state = StateOf(entry.state.load(std::memory_order_relaxed));
  const std::int64_t since = entry.since.load(std::memory_order_relaxed);
  if (!state || since <= 0 || since > now.count()) return std::nullopt;
  return WorkerSpan{track, *state, MonoTime(since), now - MonoTime(since), {}, {}};
}

}  // namespace

struct SpanTap::Impl {
  Impl(SegmentSource from, SegmentShape checked, Mapping mapped, SpanRoomFile file)
      : source(std::move(from)),
        shape(std::move(checked)),
        mapping(std::move(mapped)),
        room(std::move(file)),
        read(room.shape.rings, 0) {}

  [[nodiscard]] std::uint64_t Word(std::uint64_t offset) const {
    std::uint64_t word = 0;
    return pread(room.fd.get(), &word, sizeof(word), static_cast<off_t>(offset)) == sizeof(word) ? word : 0;
  }
  [[nodiscard]] std::uint64_t Written(std::uint32_t ring) const { return Word(room.shape.RingAt(ring)); }
  [[nodiscard]] std::uint64_t Dropped() const { return Word(offsetof(SpansHeader, dropped)); }
  void LoadTracks();
  void CopySpans(std::uint32_t ring, std::uint64_t from, std::uint64_t to);
  void TakeRing(std::uint32_t ring, std::uint32_t track, TakenSpans& taken);

  const SegmentSource source;
  const SegmentShape shape;
  const Mapping mapping;
  const SpanRoomFile room;
  std::vector<std::uint64_t> read;  // spans of each ring so far
  std::uint64_t dropped = 0;
  std::array<std::uint32_t, segment::kTracks> ring_of{};  // 1 + ring, as in the file
  std::vector<SpanWords> copy;
};

void SpanTap::Impl::LoadTracks() {
  if (pread(room.fd.get(), ring_of.data(), sizeof(ring_of), offsetof(SpansHeader, ring_of)) !=
      static_cast<ssize_t>(sizeof(ring_of)))
    ring_of.fill(0);
}

void SpanTap::Impl::CopySpans(std::uint32_t ring, std::uint64_t from, std::uint64_t to) {
  copy.resize(std::max<std::size_t>(copy.size(), to - from));
  auto* out = reinterpret_cast<char*>(copy.data());
  for (std::uint64_t at = from; at < to;) {
    const std::uint64_t place = at & (room.shape.spans - 1);
    const std::uint64_t count = std::min(to - at, room.shape.spans - place);
    const std::uint64_t bytes = count * sizeof(SpanEntry);
    if (pread(room.fd.get(), out, bytes, static_cast<off_t>(room.shape.SpanAt(ring, at))) !=
        static_cast<ssize_t>(bytes)) {
      std::fill(copy.begin() + static_cast<std::ptrdiff_t>(at - from), copy.end(), SpanWords{});  // no spans
      return;
    }
    out += bytes;
    at += count;
  }
}

// What a writer overwrites while it is copied is found by looking again at how far it has come.
void SpanTap::Impl::TakeRing(std::uint32_t ring, std::uint32_t track, TakenSpans& taken) {
  const std::uint64_t written = Written(ring);
  std::uint64_t& from = read[ring];
  if (written < from) from = written;  // somebody else has written there
  const std::uint64_t first = std::max(from, written - std::min<std::uint64_t>(written, room.shape.spans));
  CopySpans(ring, first, written);
  const std::uint64_t now = Written(ring);
  const std::uint64_t whole = now >= room.shape.spans ? now - room.shape.spans + 1 : 0;
  const std::uint64_t sound = std::min(std::max(first, whole), written);
  taken.lost += sound - from;
  for (std::uint64_t i = sound; i < written; ++i) {
    if (const auto span = ReadSpan(copy[i - first], track)) taken.spans.push_back(*span);
  }
  from = written;
}

SpanTap::SpanTap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SpanTap::SpanTap(SpanTap&&) noexcept = default;
SpanTap& SpanTap::operator=(SpanTap&&) noexcept = default;
SpanTap::~SpanTap() = default;

Result<SpanTap> SpanTap::Open(const std::string& path) {
  auto source = SegmentSource::File(path, true);
  if (!source) return std::unexpected(source.error());
  auto shape = ReadShape(*source);
  if (!shape) return std::unexpected(shape.error());
  HeaderCopy header;
  header.Renew(*source);
  if (header->minor < kSpansSince) {
    return Fail(fmt::format("{}: its run was started with an older sluice ({}.{}), which writes no spans",
                            path, header->major, header->minor));
  }
  auto mapping = Mapping::Of(*source);
  if (!mapping) return std::unexpected(mapping.error());
  auto room = MakeSpanRoom(path, RingsFor(*shape, WorkersIn(*shape, *source)));
  if (!room) return std::unexpected(room.error());
  auto impl =
      std::make_unique<Impl>(std::move(*source), std::move(*shape), std::move(*mapping), std::move(*room));
  for (std::uint32_t ring = 0; ring < impl->room.shape.rings; ++ring) impl->read[ring] = impl->Written(ring);
  impl->dropped = impl->Dropped();
  return SpanTap(std::move(impl));
}

void SpanTap::Ask(MonoTime until) {
  if (impl_->source.SizeNow() < impl_->mapping.bytes().size()) return;  // shrunk: must not be touched
  auto& asked = reinterpret_cast<segment::Header*>(impl_->mapping.bytes().data())->trace_until;
  std::int64_t before = asked.load(std::memory_order_relaxed);
  while (before < until.count() && !asked.compare_exchange_weak(before, until.count())) {
  }
}

TakenSpans SpanTap::Take() {
  TakenSpans taken;
  impl_->LoadTracks();
  for (std::uint32_t track = 0; track < segment::kTracks; ++track) {
    const std::uint32_t ring = impl_->ring_of[track];
    if (ring != 0 && ring <= impl_->room.shape.rings) impl_->TakeRing(ring - 1, track, taken);
  }
  const std::uint64_t dropped = impl_->Dropped();
  taken.lost += dropped - std::min(impl_->dropped, dropped);
  impl_->dropped = dropped;
  return taken;
}

std::vector<SpanTrack> SpanTap::Tracks(MonoTime now) const {
  std::vector<SpanTrack> tracks;
  const Graph& graph = *impl_->shape.graph;
  const std::uint32_t used = WorkersIn(impl_->shape, impl_->source);
  segment::Section in_use = impl_->shape.workers;
  in_use.count = used;
  SectionCopy<WorkerSlot> slots(in_use);
  slots.Load(impl_->source, used, [](const WorkerSlot& a, const WorkerSlot& b) {
    return a.since.load(std::memory_order_relaxed) == b.since.load(std::memory_order_relaxed);
  });
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uint32_t op = slots[i].op.load(std::memory_order_relaxed);
    if (op >= graph.ops.size() || graph.IsPart(op)) continue;
    tracks.push_back({i, OpId{op}, slots[i].tid.load(std::memory_order_relaxed),
                      slots[i].pid.load(std::memory_order_relaxed), OpenSpan(slots[i], i, now)});
  }
  SectionCopy<segment::ConsumerEntry> consumer(impl_->shape.consumer);
  consumer.Load(impl_->source);
  tracks.push_back({segment::kConsumerTrack, std::nullopt, consumer[0].tid.load(std::memory_order_relaxed), 0,
                    OpenSpan(consumer[0], segment::kConsumerTrack, now)});
  return tracks;
}

}  // namespace sluice::probes
