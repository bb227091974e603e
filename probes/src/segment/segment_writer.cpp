#include "sluice/probes/segment_writer.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>

#include "machine/rank_identity.h"
#include "segment/claim_slot.h"
#include "segment/ring_log.h"
#include "segment/segment_memory.h"
#include "segment/segment_plan.h"
#include "segment/utf8.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/span_layout.h"

namespace sluice::probes {

std::string NewRunId() {
  std::array<std::uint8_t, 16> b{};
  const MonoTime now = MonoNow();
  if (getrandom(b.data(), b.size(), 0) != static_cast<ssize_t>(b.size())) {
    for (int i = 0; i < 8; ++i) b[i] = static_cast<std::uint8_t>(now.count() >> (8 * i));
  }
  b[6] = static_cast<std::uint8_t>((b[6] & 0x0F) | 0x40);
  b[8] = static_cast<std::uint8_t>((b[8] & 0x3F) | 0x80);
  std::string id;
  for (std::size_t i = 0; i < b.size(); ++i) {
    id += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
  }
  return id;
}

namespace {

struct Place {
  SegmentMemory memory;
  std::string warning;
};

Place FindPlace(const SegmentOptions& options, std::size_t size) {
  if (!options.shared) return {SegmentMemory::Private(size), ""};
  auto shared = SegmentMemory::Shared(options.folder.empty() ? DefaultSegmentFolder() : options.folder, size);
  if (shared) return {std::move(*shared), ""};
  return {SegmentMemory::Private(size),
          fmt::format("other processes cannot watch this run: {}", shared.error().message)};
}

template <typename Entry>
std::span<Entry> MakeEntries(std::span<std::byte> bytes, const segment::Section& section) {
  auto* first = reinterpret_cast<Entry*>(bytes.data() + section.offset);
  std::uninitialized_value_construct_n(first, section.count);
  return {first, section.count};
}

void WriteIdentity(segment::Header& header, const SegmentOptions& options) {
  const auto self = ReadProcStat(getpid());
  header.pid = static_cast<std::uint32_t>(getpid());
  header.uid = geteuid();
  header.start_ticks = self ? self->start_ticks : 0;
  PutText(header.run_id, options.run_id.empty() ? NewRunId() : options.run_id);
  PutText(header.program, options.program);
  const auto rank = FindRankIdentity([](const char* name) { return std::getenv(name); });
  header.rank = rank.rank;
  header.world_size = rank.world_size;
  header.local_rank = rank.local_rank;
  header.local_world_size = rank.local_world_size;
}

void WriteSections(segment::Header& header, const SegmentPlan& plan) {
  std::copy_n(segment::kMagic, sizeof(segment::kMagic), header.magic);
  header.major = segment::kMajor;
  header.minor = segment::kMinor;
  header.total_size = plan.total_size;
  header.ops = plan.ops;
  header.connectors = plan.connectors;
  header.workers = plan.workers;
  header.knobs = plan.knobs;
  header.consumer = plan.consumer;
  header.steps = plan.steps;
  header.decisions = plan.decisions;
  header.events = plan.events;
}

void WriteOp(segment::OpEntry& entry, const OpInfo& op) {
  PutText(entry.name, op.name);
  PutText(entry.kind, op.kind);
  entry.flags = (op.serial ? segment::kOpSerial : 0U) | (op.passes_on ? segment::kOpPassesOn : 0U) |
                (op.reads_nothing ? segment::kOpReadsNothing : 0U);
  entry.rows_per_item = op.rows_per_item;
}

void WriteConnector(segment::ConnectorEntry& entry, const ConnectorInfo& connector, std::int64_t now) {
  PutText(entry.name, connector.name);
  entry.from = static_cast<std::uint32_t>(Index(connector.from));
  entry.to = connector.to ? static_cast<std::uint32_t>(Index(*connector.to)) : segment::kToConsumer;
  entry.changed.store(now, std::memory_order_relaxed);
}

void WriteKnob(segment::KnobCell& cell, const Knob& knob) {
  PutText(cell.name, knob.name);
  cell.kind = static_cast<std::uint32_t>(knob.id.kind);
  cell.target = knob.id.target;
  cell.min = knob.min;
  cell.max = knob.max;
  cell.takes_effect = static_cast<std::uint32_t>(knob.takes_effect);
  cell.holder.store(static_cast<std::uint32_t>(knob.holder), std::memory_order_relaxed);
  cell.requested.store(knob.value, std::memory_order_relaxed);
  cell.applied.store(knob.value, std::memory_order_relaxed);
  cell.generation.store(knob.generation, std::memory_order_relaxed);
}

}  // namespace

struct SegmentWriter::Impl {
  Impl(Place place, const SegmentPlan& plan)
      : memory(std::move(place.memory)),
        warning(std::move(place.warning)),
        full_warning(
            fmt::format("more than {} workers were started in one run: the further ones are not counted",
                        segment::kMaxWorkers)),
        header(*new(memory.bytes().data()) segment::Header{}),
        ops(MakeEntries<segment::OpEntry>(memory.bytes(), plan.ops)),
        connectors(MakeEntries<segment::ConnectorEntry>(memory.bytes(), plan.connectors)),
        consumer(MakeEntries<segment::ConsumerEntry>(memory.bytes(), plan.consumer).front()),
        steps(MakeEntries<segment::StepEntry>(memory.bytes(), plan.steps).front()),
        knobs(MakeEntries<segment::KnobCell>(memory.bytes(), plan.knobs)),
        workers(MakeEntries<segment::WorkerSlot>(memory.bytes(), plan.workers)),
        decisions(MakeEntries<segment::RingRecord>(memory.bytes(), plan.decisions)),
        events(MakeEntries<segment::RingRecord>(memory.bytes(), plan.events)),
        spans(header, memory.path()) {}

  void WriteClocks(std::int64_t now);
  segment::WorkerSlot& AddWorker(std::uint32_t op) EXCLUDES(mutex);

  SegmentMemory memory;
  const std::string warning;
  const std::string full_warning;
  segment::Header& header;
  const std::span<segment::OpEntry> ops;
  const std::span<segment::ConnectorEntry> connectors;
  segment::ConsumerEntry& consumer;
  segment::StepEntry& steps;
  const std::span<segment::KnobCell> knobs;
  const std::span<segment::WorkerSlot> workers;
  RingLog decisions;
  RingLog events;
  SpanRecorder spans;

  std::atomic<bool> full{false};
  Mutex mutex;
  std::deque<segment::WorkerSlot> beyond GUARDED_BY(mutex);  // slots that no reader sees
};

void SegmentWriter::Impl::WriteClocks(std::int64_t now) {
  header.clock_mono = now;
  header.clock_wall = WallNow().count();
  header.heartbeat.store(now, std::memory_order_relaxed);
}

segment::WorkerSlot& SegmentWriter::Impl::AddWorker(std::uint32_t op) {
  const auto claimed = ClaimWorkerSlot(header.workers_used, static_cast<std::uint32_t>(workers.size()));
  if (claimed) {
    workers[*claimed].op.store(op, std::memory_order_release);
    return workers[*claimed];
  }
  const MutexLock lock(mutex);
  full.store(true);
  return beyond.emplace_back();
}

SegmentWriter::SegmentWriter(const SegmentOptions& options, const Graph& graph,
                             const std::vector<Knob>& knobs, const Budget& budget) {
  SLUICE_CHECK(graph.ops.size() <= segment::kMaxOps);
  SLUICE_CHECK(graph.connectors.size() <= segment::kMaxConnectors);
  SLUICE_CHECK(knobs.size() <= segment::kMaxKnobs);
  const SegmentPlan plan = PlanSegment(graph.ops.size(), graph.connectors.size(), knobs.size());
  impl_ = std::make_unique<Impl>(FindPlace(options, plan.total_size), plan);
  segment::Header& header = impl_->header;
  const std::int64_t now = MonoNow().count();
  WriteSections(header, plan);
  WriteIdentity(header, options);
  impl_->WriteClocks(now);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) WriteOp(impl_->ops[i], graph.ops[i]);
  for (std::size_t i = 0; i < graph.connectors.size(); ++i) {
    WriteConnector(impl_->connectors[i], graph.connectors[i], now);
  }
  for (std::size_t i = 0; i < knobs.size(); ++i) WriteKnob(impl_->knobs[i], knobs[i]);
  header.memory_limit.store(budget.memory.count, std::memory_order_relaxed);
  header.cores_milli.store(static_cast<std::uint64_t>(std::llround(std::max(0.0, budget.cores) * 1000)),
                           std::memory_order_relaxed);
  header.ready.store(1, std::memory_order_release);
}

SegmentWriter::~SegmentWriter() {
  if (!impl_->memory.made_by_this_process()) return;
  impl_->header.state.store(static_cast<std::uint32_t>(segment::RunState::kFinished),
                            std::memory_order_release);
}

segment::Header& SegmentWriter::header() {
  return impl_->header;
}

segment::OpEntry& SegmentWriter::op(OpId id) {
  SLUICE_CHECK(Index(id) < impl_->ops.size());
  return impl_->ops[Index(id)];
}

segment::ConnectorEntry& SegmentWriter::connector(ConnectorId id) {
  SLUICE_CHECK(Index(id) < impl_->connectors.size());
  return impl_->connectors[Index(id)];
}

segment::ConsumerEntry& SegmentWriter::consumer() {
  return impl_->consumer;
}

segment::StepEntry& SegmentWriter::steps() {
  return impl_->steps;
}

std::span<segment::KnobCell> SegmentWriter::knobs() {
  return impl_->knobs;
}

segment::WorkerSlot& SegmentWriter::AddWorker(OpId op) {
  SLUICE_CHECK(Index(op) < impl_->ops.size());
  return impl_->AddWorker(static_cast<std::uint32_t>(Index(op)));
}

SpanRecorder& SegmentWriter::spans() {
  return impl_->spans;
}

std::uint32_t SegmentWriter::TrackOf(const segment::WorkerSlot& slot) const {
  const auto* first = impl_->workers.data();
  const bool seen = !std::less<>()(&slot, first) && std::less<>()(&slot, first + impl_->workers.size());
  return seen ? static_cast<std::uint32_t>(&slot - first) : segment::kTracks;
}

void SegmentWriter::LogDecision(std::int64_t at_mono, std::string_view json) {
  impl_->decisions.Append(at_mono, json);
}

void SegmentWriter::LogEvent(std::int64_t at_mono, std::string_view sentence) {
  impl_->events.Append(at_mono, sentence);
}

const std::string& SegmentWriter::path() const {
  return impl_->memory.path();
}

const std::string& SegmentWriter::warning() const {
  return impl_->full.load() ? impl_->full_warning : impl_->warning;
}

std::span<const std::byte> SegmentWriter::bytes() const {
  return impl_->memory.bytes();
}

std::span<std::byte> SegmentWriter::bytes() {
  return impl_->memory.bytes();
}

}  // namespace sluice::probes
