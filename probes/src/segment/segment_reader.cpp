#include "sluice/probes/segment_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "segment/section_copy.h"
#include "segment/segment_counters.h"
#include "segment/segment_shape.h"
#include "segment/segment_source.h"
#include "segment/utf8.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint32_t kMinorWithEpochs = 2;
constexpr std::uint32_t kMinorWithPages = 5;
constexpr int kEpochLooks = 4;

// What must be equal in two copies for the intervals in the first to be whole (docs/telemetry-segment.md).
bool SameWorker(const segment::WorkerSlot& a, const segment::WorkerSlot& b) {
  return a.since.load(kRelaxed) == b.since.load(kRelaxed) && a.state.load(kRelaxed) == b.state.load(kRelaxed);
}
bool SameConsumer(const segment::ConsumerEntry& a, const segment::ConsumerEntry& b) {
  return a.since.load(kRelaxed) == b.since.load(kRelaxed) && a.state.load(kRelaxed) == b.state.load(kRelaxed);
}
bool SameConnector(const segment::ConnectorEntry& a, const segment::ConnectorEntry& b) {
  return a.changed.load(kRelaxed) == b.changed.load(kRelaxed) &&
         a.full_since.load(kRelaxed) == b.full_since.load(kRelaxed);
}
bool SameRecord(const segment::RingRecord& a, const segment::RingRecord& b) {
  return std::memcmp(static_cast<const void*>(&a), &b, sizeof(a)) == 0;
}

bool IsUnused(const segment::WorkerSlot& slot) {
  return slot.state.load(kRelaxed) == static_cast<std::uint32_t>(segment::WorkerState::kUnused);
}

// Up to when an open interval counts: not at all in an entry that changed with each look at it.
template <typename Entry, typename Same>
MonoTime OpenUntil(const SectionCopy<Entry>& entries, std::size_t i, Same same, MonoTime now) {
  return entries.Holds(i, same) ? now : MonoTime{0};
}

// nullopt: never written, being written, or not where it belongs.
std::optional<LogLine> ReadLine(const segment::RingRecord& record, std::size_t place, std::size_t ring) {
  const std::uint64_t sequence = record.sequence.load(kRelaxed);
  if (sequence == 0 || sequence % 2 != 0 || (sequence / 2 - 1) % ring != place) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(record.text);
  const auto length = strnlen(text, sizeof(record.text));
  if (length == sizeof(record.text)) return std::nullopt;
  return LogLine{sequence / 2 - 1, MonoTime(record.at.load(kRelaxed)), PrintableUtf8({text, length})};
}

// Before number `from` is written, its place holds an older one.
std::vector<LogLine> ReadRing(SectionCopy<segment::RingRecord>& ring, const SegmentSource& source,
                              std::uint64_t from) {
  std::vector<LogLine> lines;
  const std::size_t count = ring.capacity();
  if (from > 0 && count > 0 && ring.Peek(source, from % count).sequence.load(kRelaxed) / 2 <= from)
    return lines;
  ring.Load(source, count, SameRecord);
  for (std::size_t i = 0; i < count; ++i) {
    auto line = ring.Holds(i, SameRecord) ? ReadLine(ring[i], i, count) : std::nullopt;
    if (line && line->number >= from) lines.push_back(std::move(*line));
  }
  std::ranges::sort(lines, {}, &LogLine::number);
  return lines;
}

std::int64_t NotNegative(const segment::Gauge& gauge) {
  return std::max<std::int64_t>(gauge.load(kRelaxed), 0);
}

}  // namespace

struct SegmentReader::Impl {
  Impl(SegmentSource from, SegmentShape checked)
      : source(std::move(from)),
        shape(std::move(checked)),
        connectors(shape.connectors),
        workers(shape.workers),
        consumer(shape.consumer),
        steps(shape.steps),
        knobs(shape.knobs),
        ops(shape.ops),
        decisions(shape.decisions),
        events(shape.events) {}

  std::size_t LoadWorkers();
  void ReadHeader(Snapshot& now);
  void ReadOps(Snapshot& now);
  void ReadConnectors(Snapshot& now);
  void ReadKnobs(Snapshot& now);

  const SegmentSource source;
  const SegmentShape shape;
  HeaderCopy header;
  SectionCopy<segment::ConnectorEntry> connectors;
  SectionCopy<segment::WorkerSlot> workers;
  SectionCopy<segment::ConsumerEntry> consumer;
  SectionCopy<segment::StepEntry> steps;
  SectionCopy<segment::KnobCell> knobs;
  SectionCopy<segment::OpEntry> ops;
  SectionCopy<segment::RingRecord> decisions;
  SectionCopy<segment::RingRecord> events;
  Snapshot last;
  std::vector<WorkerReading> last_workers;
};

std::size_t SegmentReader::Impl::LoadWorkers() {
  header.Renew(source);
  const std::size_t used = std::min(header->workers_used.load(kRelaxed), workers.capacity());
  workers.Load(source, used, SameWorker);
  return used;
}

void SegmentReader::Impl::ReadHeader(Snapshot& now) {
  header.Renew(source);
  now.budget.cores = static_cast<double>(header->cores_milli.load(kRelaxed)) * 1e-3;
  now.budget.memory = {NotNegative(header->memory_limit)};
  now.buffered = {NotNegative(header->buffered_bytes)};
  now.buffered_peak = {NotNegative(header->buffered_peak)};
  now.epoch = header->epoch.load(kRelaxed);
  now.finished = header->state.load(kRelaxed) == static_cast<std::uint32_t>(segment::RunState::kFinished);
}

void SegmentReader::Impl::ReadOps(Snapshot& now) {
  now.ops.resize(shape.ops.count);
  ops.Load(source);
  for (std::size_t i = 0; i < now.ops.size(); ++i) now.ops[i].failed = ops[i].failed.load(kRelaxed);
  const std::size_t used = LoadWorkers();
  for (std::size_t i = 0; i < used; ++i) {
    const std::uint32_t op = workers[i].op.load(kRelaxed);
    if (op < now.ops.size()) AddWorker(now.ops[op], workers[i], OpenUntil(workers, i, SameWorker, now.at));
  }
}

void SegmentReader::Impl::ReadConnectors(Snapshot& now) {
  connectors.Load(source, shape.connectors.count, SameConnector);
  for (std::uint32_t i = 0; i < shape.connectors.count; ++i) {
    now.connectors.push_back(ReadConnector(connectors[i], OpenUntil(connectors, i, SameConnector, now.at)));
  }
}

void SegmentReader::Impl::ReadKnobs(Snapshot& now) {
  now.knobs = shape.knobs_at_start;
  knobs.Load(source);
  for (std::size_t i = 0; i < now.knobs.size(); ++i) {
    ReadKnob(now.knobs[i], knobs[i]);
    const Knob& knob = now.knobs[i];
    if (knob.id.kind != KnobKind::kPlacement || knob.value == 0) continue;
    PlaceReading& place = now.ops[knob.id.target].place.emplace();
    if (header->minor >= kMinorWithPages) ReadPages(place, knobs[i]);
  }
}

SegmentReader::SegmentReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SegmentReader::SegmentReader(SegmentReader&&) noexcept = default;
SegmentReader& SegmentReader::operator=(SegmentReader&&) noexcept = default;
SegmentReader::~SegmentReader() = default;

Result<SegmentReader> SegmentReader::Open(const std::string& path) {
  auto source = SegmentSource::File(path, false);
  if (!source) return std::unexpected(source.error());
  auto shape = ReadShape(*source);
  if (!shape) return std::unexpected(shape.error());
  return SegmentReader(std::make_unique<Impl>(std::move(*source), std::move(*shape)));
}

Result<SegmentReader> SegmentReader::Over(std::span<const std::byte> bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(segment::Header) != 0) {
    return Fail("segment in memory: must begin at a multiple of 64");
  }
  auto source = SegmentSource::Memory(bytes);
  auto shape = ReadShape(source);
  if (!shape) return std::unexpected(shape.error());
  return SegmentReader(std::make_unique<Impl>(std::move(source), std::move(*shape)));
}

const SegmentIdentity& SegmentReader::identity() const {
  return impl_->shape.identity;
}

Snapshot SegmentReader::Read(MonoTime now, Nanos wall) const {
  Snapshot snapshot;
  snapshot.at = now;
  snapshot.wall = wall;
  snapshot.graph = impl_->shape.graph;
  impl_->ReadHeader(snapshot);
  impl_->ReadOps(snapshot);
  impl_->ReadConnectors(snapshot);
  impl_->ReadKnobs(snapshot);
  impl_->consumer.Load(impl_->source, 1, SameConsumer);
  snapshot.consumer = ReadConsumer(impl_->consumer[0], OpenUntil(impl_->consumer, 0, SameConsumer, now));
  if (impl_->header->minor >= kMinorWithEpochs)
    snapshot.consumer.starting = ReadStarting(*impl_->header, snapshot.consumer.starved);
  if (impl_->steps.capacity() == 1) {
    impl_->steps.Load(impl_->source);
    ReadSteps(impl_->steps[0], snapshot.consumer);
  }
  NeverFall(snapshot, impl_->last);
  impl_->last = snapshot;
  return snapshot;
}

std::vector<WorkerThread> SegmentReader::Threads(MonoTime now) const {
  std::vector<WorkerThread> threads;
  const std::size_t used = impl_->LoadWorkers();
  if (impl_->shape.ops.count == 0) return threads;
  for (std::size_t i = 0; i < used; ++i) {
    const WorkerThread thread =
        ReadWorkerThread(impl_->workers[i], OpenUntil(impl_->workers, i, SameWorker, now));
    threads.push_back(Index(thread.op) < impl_->shape.ops.count ? thread : WorkerThread{});
  }
  return threads;
}

// The last slots, while nobody has begun to use them, may not name their op yet.
std::vector<WorkerReading> SegmentReader::Workers(MonoTime now) const {
  std::vector<WorkerReading> workers;
  std::vector<int> of_op(impl_->shape.ops.count);
  std::size_t used = impl_->LoadWorkers();
  while (used > 0 && IsUnused(impl_->workers[used - 1])) --used;
  for (std::size_t i = 0; i < used; ++i) {
    WorkerReading worker = ReadWorker(impl_->workers[i], OpenUntil(impl_->workers, i, SameWorker, now));
    const std::size_t op = Index(worker.op);
    if (op >= of_op.size() || impl_->shape.graph->IsPart(op)) continue;
    worker.number = of_op[op]++;
    workers.push_back(worker);
  }
  NeverFall(workers, impl_->last_workers);
  impl_->last_workers = workers;
  return workers;
}

std::vector<LogLine> SegmentReader::Decisions(std::uint64_t from) const {
  return ReadRing(impl_->decisions, impl_->source, from);
}

std::vector<LogLine> SegmentReader::Events(std::uint64_t from) const {
  return ReadRing(impl_->events, impl_->source, from);
}

// Twice the same is whole: the number is stored last.
std::optional<EndedEpoch> SegmentReader::LastEpoch() const {
  std::optional<EndedEpoch> before;
  for (int look = 0; look < kEpochLooks; ++look) {
    impl_->header.Renew(impl_->source);
    if (impl_->header->minor < kMinorWithEpochs) return std::nullopt;
    const EndedEpoch now = ReadEpoch(*impl_->header);
    if (before == now) return now.number > 0 ? before : std::nullopt;
    before = now;
  }
  return std::nullopt;
}

EpochOutlook SegmentReader::Outlook() const {
  impl_->header.Renew(impl_->source);
  if (impl_->header->minor < kMinorWithEpochs) return {};
  return ReadOutlook(*impl_->header);
}

MonoTime SegmentReader::Heartbeat() const {
  impl_->header.Renew(impl_->source);
  return MonoTime(NotNegative(impl_->header->heartbeat));
}

bool SegmentReader::Alive() const {
  return ProcessAlive(static_cast<int>(impl_->shape.identity.pid), impl_->shape.identity.start_ticks);
}

}  // namespace sluice::probes
