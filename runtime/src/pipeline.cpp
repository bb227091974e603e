#include "sluice/runtime/pipeline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "connector.h"
#include "consumer_side.h"
#include "failed_rows.h"
#include "memory_plan.h"
#include "op_factory.h"
#include "op_places.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/base/futex.h"
#include "sluice/base/text.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/runtime/scenario.h"
#include "stage.h"

namespace sluice::runtime {
namespace {

constexpr std::chrono::milliseconds kControlTick{100};

Graph GraphOf(const PipelineDescription& description) {
  Graph graph;
  const auto& ops = description.ops;
  const auto inputs = InputsOf(description);
  const auto takers = TakersOf(description);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto* batch = std::get_if<BatchSpec>(&ops[i].what);
    const std::uint32_t before = inputs[i].empty() ? 1 : graph.ops[inputs[i][0]].rows_per_item;
    graph.ops.push_back({.name = ops[i].name,
                         .kind = std::string(KindName(ops[i])),
                         .serial = IsSerial(ops[i]),
                         .rows_per_item = before * (batch != nullptr ? batch->size : 1),
                         .passes_on = PassesOn(ops[i]),
                         .reads_nothing = ReadsNothing(ops[i])});
    const bool last = takers[i] == ops.size();
    graph.connectors.push_back({fmt::format("{}->{}", ops[i].name, last ? "consumer" : ops[takers[i]].name),
                                static_cast<OpId>(i),
                                last ? std::nullopt : std::optional(static_cast<OpId>(takers[i]))});
  }
  return graph;
}

Knob MakeKnob(KnobKind kind, std::size_t target, const OpSpec& op) {
  const bool workers = kind == KnobKind::kWorkers;
  const bool serial = IsSerial(op);
  Knob knob;
  knob.id = {kind, static_cast<std::uint32_t>(target)};
  knob.name = op.name + (workers ? ".workers" : ".capacity");
  knob.value = knob.requested = workers ? (serial ? 1 : op.workers) : op.capacity;
  knob.min = workers ? (serial ? 1 : op.min_workers) : op.min_capacity;
  knob.max = workers ? (serial ? 1 : op.max_workers) : op.max_capacity;
  knob.holder = (workers ? op.pin_workers : op.pin_capacity) ? Holder::kUser : Holder::kAuto;
  return knob;
}

Knob MakePlacementKnob(std::size_t target, const OpSpec& op, const std::vector<NumaNode>& nodes) {
  Placement most{0, MemoryPolicy::kInterleave};
  for (const NumaNode& node : nodes) most.nodes |= OnNode(node.number).nodes;
  Knob knob;
  knob.id = {KnobKind::kPlacement, static_cast<std::uint32_t>(target)};
  knob.name = op.name + ".placement";
  knob.value = knob.requested = knob.min = 0;
  knob.max = KnobValue(most);
  knob.holder = op.pin_placement || !op.cpus.empty() ? Holder::kUser : Holder::kAuto;
  return knob;
}

// For each op its workers, then the capacity of the connector behind it; then, where there is a choice, the
// placement of each.
std::vector<Knob> KnobsOf(const PipelineDescription& description, const std::vector<NumaNode>& nodes) {
  std::vector<Knob> knobs;
  for (std::size_t i = 0; i < description.ops.size(); ++i) {
    knobs.push_back(MakeKnob(KnobKind::kWorkers, i, description.ops[i]));
    knobs.push_back(MakeKnob(KnobKind::kCapacity, i, description.ops[i]));
  }
  for (std::size_t i = 0; i < description.ops.size() && CanBePlaced(nodes); ++i)
    knobs.push_back(MakePlacementKnob(i, description.ops[i], nodes));
  return knobs;
}

}  // namespace

struct Pipeline::Impl {
  Impl(PipelineDescription d, PipelineOptions o, Bytes limit)
      : description(std::move(d)),
        options(std::move(o)),
        graph(GraphOf(description)),
        knobs(KnobsOf(description, options.nodes)),
        pool(limit, [this] { WakeAll(); }),
        memory(pool, MemoryAccounts(description)),
        segment({options.segment_folder, options.program.empty() ? description.name : options.program, "",
                 options.shared_segment},
                graph, knobs, {options.cores, limit}),
        crew(options.cores) {}

  void Assemble(MadeOps made);
  void Start();
  void Stop();
  void WakeAll();
  void Control();
  void ApplyKnobs();
  void Apply(const Knob& knob, probes::segment::KnobCell& cell, std::int64_t value);
  void Publish(MonoTime now);
  void WatchForStall(MonoTime now);
  [[nodiscard]] std::string Describe() const;
  [[nodiscard]] std::string Inside() const;
  [[nodiscard]] RowOrigin OriginOf(std::uint64_t row) const;

  const PipelineDescription description;
  const PipelineOptions options;
  const Graph graph;
  const std::vector<Knob> knobs;  // as the cells of the segment, but nobody else can change them
  BufferPool pool;                // outlives whatever holds items
  MemoryPlan memory;
  probes::SegmentWriter segment;
  Crew crew;
  Pace pace;
  ConsumerBell bell;
  std::vector<const SourceLogic*> sources;  // of the stages
  FailedRows failed{[this](std::uint64_t row) { return OriginOf(row); }};
  std::vector<std::unique_ptr<Connector>> connectors;
  std::vector<std::unique_ptr<Stage>> stages;
  std::unique_ptr<ConsumerSide> consumer;
  std::atomic<bool> stopping{false};
  std::thread control;
  // The control thread's:
  OpPlaces places{description, options.nodes, segment, pool, memory, stages};
  std::uint64_t last_items = 0;
  MonoTime last_progress{0};
  bool stall_told = false;
};

void Pipeline::Impl::Assemble(MadeOps made) {
  sources = std::move(made.sources);
  const auto inputs = InputsOf(description);
  const auto takers = TakersOf(description);
  std::vector<std::unique_ptr<OpLogic>>& logics = made.ops;
  const MonoTime now = MonoNow();
  for (std::size_t i = 0; i < logics.size(); ++i) {
    const OpSpec& op = description.ops[i];
    const auto capacity = static_cast<std::uint64_t>(op.capacity);
    connectors.push_back(std::make_unique<Connector>(segment.connector(static_cast<ConnectorId>(i)), capacity,
                                                     IsSerial(op) ? 1 : op.workers, op.ordered, now));
    StageOptions stage{static_cast<OpId>(i), op.name, op.on_error, op.ordered, options.measure, &pace};
    std::vector<Connector*> in;
    for (const std::size_t input : inputs[i]) in.push_back(connectors[input].get());
    stages.push_back(std::make_unique<Stage>(std::move(stage), std::move(logics[i]), std::move(in),
                                             *connectors[i], segment, crew, failed));
  }
  consumer =
      std::make_unique<ConsumerSide>(*connectors.back(), *stages.back(), segment, crew, bell, options.measure,
                                     ReplacesAtTheEnd(description) ? &memory : nullptr);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::vector<Stage*> before;
    for (const std::size_t input : inputs[i]) before.push_back(stages[input].get());
    stages[i]->Link(std::move(before), takers[i] < stages.size() ? stages[takers[i]].get() : nullptr, bell);
  }
}

void Pipeline::Impl::Start() {
  segment.header().state.store(static_cast<std::uint32_t>(probes::segment::RunState::kRunning));
  last_progress = MonoNow();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const OpSpec& op = description.ops[i];
    stages[i]->Start(IsSerial(op) ? 1 : op.workers);
  }
  places.Start();
  control = std::thread([this] { Control(); });
}

void Pipeline::Impl::Stop() {
  stopping.store(true, std::memory_order_relaxed);
  consumer->Stop();
  for (const auto& stage : stages) stage->Stop();
  WakeFutex(segment.header().knob_futex);
}

void Pipeline::Impl::WakeAll() {
  for (const auto& stage : stages) stage->Wake(static_cast<std::uint64_t>(stage->workers()));
}

void Pipeline::Impl::Control() {
  pthread_setname_np(pthread_self(), "sluice-control");
  std::atomic<std::uint32_t>& word = segment.header().knob_futex;
  while (!stopping.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = word.load();
    ApplyKnobs();
    pace.Set(static_cast<double>(segment.header().pace_milli.load(std::memory_order_relaxed)) * 1e-3);
    const MonoTime now = MonoNow();
    Publish(now);
    WatchForStall(now);
    places.Keep(now);
    for (const auto& stage : stages) stage->Reap();
    SleepOnFutex(word, seen, kControlTick);
  }
}

void Pipeline::Impl::ApplyKnobs() {
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    probes::segment::KnobCell& cell = segment.knobs()[i];
    const std::int64_t wanted = cell.requested.load(std::memory_order_acquire);
    if (wanted != cell.applied.load(std::memory_order_relaxed)) Apply(knobs[i], cell, wanted);
  }
}

void Pipeline::Impl::Apply(const Knob& knob, probes::segment::KnobCell& cell, std::int64_t value) {
  std::int64_t clamped = std::clamp(value, knob.min, knob.max);
  Stage& stage = *stages[knob.id.target];
  if (knob.id.kind == KnobKind::kWorkers) stage.SetWorkers(static_cast<int>(clamped));
  if (knob.id.kind == KnobKind::kCapacity) stage.SetCapacity(static_cast<int>(clamped));
  if (knob.id.kind == KnobKind::kPlacement) clamped = places.Apply(knob.id.target, value);
  if (clamped != value) cell.requested.compare_exchange_strong(value, clamped);
  cell.applied.store(clamped, std::memory_order_relaxed);
  probes::segment::Add(cell.generation, 1);
}

void Pipeline::Impl::Publish(MonoTime now) {
  probes::segment::Header& header = segment.header();
  header.heartbeat.store(now.count(), std::memory_order_relaxed);
  header.buffered_bytes.store(pool.in_use().count, std::memory_order_relaxed);
  header.buffered_peak.store(pool.peak().count, std::memory_order_relaxed);
}

void Pipeline::Impl::WatchForStall(MonoTime now) {
  const probes::segment::ConsumerEntry& taker = segment.consumer();
  const std::uint64_t items = taker.items.load(std::memory_order_relaxed);
  const bool starved =
      taker.state.load() == static_cast<std::uint32_t>(probes::segment::WorkerState::kStarved);
  if (items != last_items || !starved) {
    last_items = items;
    last_progress = now;
    stall_told = false;
    return;
  }
  if (options.stall_after.count() == 0 || stall_told || now - last_progress < options.stall_after) return;
  stall_told = true;
  const std::string inside = Inside();
  std::string text =
      fmt::format("nothing has reached the consumer for {} s{}. {}", options.stall_after.count(),
                  inside.empty() ? "" : "; " + inside, Describe());
  std::ranges::replace(text, '\n', ';');
  segment.LogEvent(now.count(), text);
}

std::string Pipeline::Impl::Describe() const {
  std::string text;
  for (const auto& stage : stages) text += (text.empty() ? "" : "; ") + stage->Describe();
  return text;
}

std::string Pipeline::Impl::Inside() const {
  const Stage* where = nullptr;
  Stage::Inside longest;
  for (const auto& stage : stages) {
    const auto inside = stage->InsideNow();
    if (inside.empty() || (where != nullptr && longest.since <= inside.front().since)) continue;
    where = stage.get();
    longest = inside.front();
  }
  if (where == nullptr) return "";
  std::string text = fmt::format("{} has been inside {}", where->name(), failed.Name(longest.row));
  if (longest.since.count() > 0) text += " for " + FormatDuration(MonoNow() - longest.since);
  return text;
}

RowOrigin Pipeline::Impl::OriginOf(std::uint64_t row) const {
  const auto of =
      std::ranges::find_if(sources, [&](const auto* source) { return row < source->EndOfRows(); });
  return of == sources.end() ? RowOrigin{} : (*of)->Origin(row);
}

Result<std::unique_ptr<Pipeline>> Pipeline::Build(const PipelineDescription& description,
                                                  const PipelineOptions& options) {
  if (const auto valid = Validate(description); !valid) return std::unexpected(valid.error());
  Bytes limit = description.memory;
  const probes::MachineBudget machine = probes::ReadMachineBudget(0);
  if (limit.count == 0) limit = {machine.memory_available.count / 4};
  PipelineDescription named = description;
  const std::vector<std::string> names = OpNames(named);
  for (std::size_t i = 0; i < names.size(); ++i) named.ops[i].name = names[i];
  PipelineOptions filled = options;
  for (OpSpec& op : named.ops) LiveByItsCpus(op, filled.nodes);
  if (filled.cores <= 0) filled.cores = machine.cores;
  auto impl = std::make_unique<Impl>(std::move(named), std::move(filled), limit);
  auto ops = MakeOps(impl->description, impl->memory, impl->segment.header().epoch);
  if (!ops) return std::unexpected(ops.error());
  impl->segment.header().memory_limit.store(impl->pool.limit().count);
  impl->Assemble(std::move(*ops));
  return std::unique_ptr<Pipeline>(new Pipeline(std::move(impl)));
}

Pipeline::Pipeline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Pipeline::~Pipeline() {
  impl_->Stop();
  if (impl_->control.joinable()) impl_->control.join();
  for (const auto& stage : impl_->stages) stage->Join();
  impl_->consumer->Clear();
  for (const auto& connector : impl_->connectors) connector->Clear();
  impl_->stages.clear();
}

void Pipeline::Start() {
  impl_->Start();
}
Pipeline::Got Pipeline::Next(Item& item) {
  return impl_->consumer->Next(item);
}
void Pipeline::Stop() {
  impl_->Stop();
}

bool Pipeline::StopWithin(Nanos patience) {
  impl_->Stop();
  const MonoTime until = MonoNow() + patience;
  return std::ranges::all_of(impl_->stages, [&](const auto& stage) { return stage->LeftBy(until); });
}

void Pipeline::Abandon() {
  probes::SegmentWriter& segment = impl_->segment;
  segment.header().state.store(static_cast<std::uint32_t>(probes::segment::RunState::kFinished));
  if (!segment.path().empty()) unlink(segment.path().c_str());
}

void Pipeline::SetWorkers(OpId op, int workers) {
  impl_->segment.knobs()[2 * Index(op)].requested.store(workers, std::memory_order_release);
  WakeFutex(impl_->segment.header().knob_futex);
}

void Pipeline::SetCapacity(ConnectorId connector, int capacity) {
  impl_->segment.knobs()[2 * Index(connector) + 1].requested.store(capacity, std::memory_order_release);
  WakeFutex(impl_->segment.header().knob_futex);
}

void Pipeline::SetPlacement(OpId op, const Placement& placement) {
  if (!CanBePlaced(impl_->options.nodes)) return;
  impl_->segment.knobs()[2 * impl_->stages.size() + Index(op)].requested.store(KnobValue(placement),
                                                                               std::memory_order_release);
  WakeFutex(impl_->segment.header().knob_futex);
}

const Graph& Pipeline::graph() const {
  return impl_->graph;
}
std::span<std::byte> Pipeline::segment() const {
  return impl_->segment.bytes();
}
const std::string& Pipeline::segment_path() const {
  return impl_->segment.path();
}
const std::string& Pipeline::warning() const {
  return impl_->segment.warning();
}
Bytes Pipeline::memory_limit() const {
  return impl_->pool.limit();
}
std::string Pipeline::Describe() const {
  return impl_->Describe();
}
std::string Pipeline::Inside() const {
  return impl_->Inside();
}
RowFailures Pipeline::failures() const {
  std::uint64_t rows_read = 0;
  for (const SourceLogic* source : impl_->sources) rows_read += source->rows_read();
  return {impl_->failed.failed(), rows_read, impl_->failed.different()};
}
std::vector<FailedRow> Pipeline::FailedRowsFrom(std::size_t from) const {
  return impl_->failed.From(from);
}

void Pipeline::LogDecision(std::int64_t at_mono, std::string_view json) {
  impl_->segment.LogDecision(at_mono, json);
}

}  // namespace sluice::runtime
