#include "runtime/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/rng.h"
#include "sluice/probes/binding.h"

namespace sluice::runtime {
namespace {

// Far beyond what an item takes under a sanitizer on a busy machine.
constexpr std::chrono::seconds kHangs{40};

// Those of all ops and the consumer, and one: of a pipeline that has not begun as well.
std::uint64_t ItemsOf(const Pipeline& pipeline) {
  const Snapshot seen = ReadCounters(pipeline);
  std::uint64_t items = 1 + seen.consumer.items;
  for (const OpReading& op : seen.ops) items += op.items;
  return items;
}

void Mix(std::uint64_t& hash, std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3;
  }
}

std::uint64_t ContentOf(const Item& item) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const std::uint64_t shape[] = {item.data.shape.rank, item.data.shape.Elements(),
                                 static_cast<std::uint64_t>(item.data.dtype)};
  Mix(hash, std::as_bytes(std::span(shape)));
  Mix(hash, std::span(item.data.data, item.data.Size()));
  if (item.kind == ItemKind::kBatch && item.buffer->batch.label_classes > 0) {
    Mix(hash, std::as_bytes(item.OneHotLabels()));
  }
  for (const Item& other : item.others()) {
    const std::uint64_t of_it[] = {ContentOf(other)};
    Mix(hash, std::as_bytes(std::span(of_it)));
  }
  return hash;
}

std::vector<std::uint64_t> RowsOf(const Item& item) {
  if (item.kind != ItemKind::kBatch) return {item.index};
  return {item.Indices().begin(), item.Indices().end()};
}

}  // namespace

Taken Keep(Pipeline::Got got, const Item& item) {
  Taken taken{.got = got, .kind = item.kind, .epoch = item.epoch};
  if (got == Pipeline::Got::kError) taken.error = item.error()->message;
  if (got != Pipeline::Got::kItem) return taken;
  taken.indices = RowsOf(item);
  for (const Item& other : item.others()) taken.others.push_back(RowsOf(other));
  if (item.kind == ItemKind::kBatch) {
    taken.labels.assign(item.Labels().begin(), item.Labels().end());
  } else {
    taken.labels = {item.label};
  }
  taken.content = ContentOf(item);
  return taken;
}

std::string Text(const Taken& taken) {
  return fmt::format("got {} kind {} epoch {} rows [{}] others {} labels [{}] content {:x} {}",
                     static_cast<int>(taken.got), static_cast<int>(taken.kind), taken.epoch,
                     fmt::join(taken.indices, " "), taken.others, fmt::join(taken.labels, " "), taken.content,
                     taken.error);
}

PipelineOptions Private() {
  PipelineOptions options;
  options.shared_segment = false;
  options.stall_after = std::chrono::seconds(0);
  return options;
}

PipelineOptions TwoNodes() {
  const std::vector<int> cpus = probes::ReadAffinity(0).value().Cpus();
  PipelineOptions options = Private();
  for (const int cpu : {cpus.front(), cpus.back()}) {
    NumaNode node;
    node.number = static_cast<int>(options.nodes.size());
    node.cpus = CpuSet::Range(cpu, cpu);
    options.nodes.push_back(std::move(node));
  }
  return options;
}

std::unique_ptr<Pipeline> MustBuild(const PipelineDescription& description, const PipelineOptions& options) {
  auto built = Pipeline::Build(description, options);
  if (!built) {
    std::fprintf(stderr, "cannot build: %s\n", built.error().message.c_str());
    std::abort();
  }
  return std::move(*built);
}

Snapshot ReadCounters(const Pipeline& pipeline) {
  const auto reader = probes::SegmentReader::Over(pipeline.segment());
  if (!reader) std::abort();
  return reader->Read(MonoNow(), WallNow());
}

std::vector<std::string> EventsOf(const Pipeline& pipeline) {
  const auto reader = probes::SegmentReader::Over(pipeline.segment());
  if (!reader) std::abort();
  std::vector<std::string> texts;
  for (const probes::LogLine& line : reader->Events()) texts.push_back(line.text);
  return texts;
}

int Threads() {
  // ThreadSanitizer starts a thread of its own beside the first one.
  static const bool one_was_started = [] {
    std::atomic<pid_t> id{0};
    std::thread([&id] { id = gettid(); }).join();
    while (std::filesystem::exists("/proc/self/task/" + std::to_string(id))) std::this_thread::yield();
    return true;
  }();
  static_cast<void>(one_was_started);
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

Watchdog::Watchdog(const Pipeline& pipeline, std::string what)
    : what_(std::move(what)), thread_([this, &pipeline] { Watch(pipeline); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::Watch(const Pipeline& pipeline) {
  std::unique_lock lock(mutex_);
  for (std::uint64_t before = 0, now = ItemsOf(pipeline); now > before;) {
    if (changed_.wait_for(lock, kHangs, [this] { return over_; })) return;
    before = std::exchange(now, ItemsOf(pipeline));
  }
  std::fprintf(stderr, "%s hangs: %s\n", what_.c_str(), pipeline.Describe().c_str());
  std::abort();
}

RandomResizer::RandomResizer(Pipeline& pipeline, std::uint64_t seed)
    : thread_([this, &pipeline, seed] { Resize(pipeline, seed); }) {}

RandomResizer::~RandomResizer() {
  over_ = true;
  thread_.join();
}

void RandomResizer::Resize(Pipeline& pipeline, std::uint64_t seed) {
  Rng rng(seed);
  const std::size_t ops = pipeline.graph().ops.size();
  while (!over_) {
    const std::size_t at = rng.Below(ops);
    const bool workers = rng.Below(2) == 0;
    if (workers) {
      pipeline.SetWorkers(static_cast<OpId>(at), static_cast<int>(1 + rng.Below(16)));
    } else {
      pipeline.SetCapacity(static_cast<ConnectorId>(at), static_cast<int>(1 + rng.Below(64)));
    }
    const std::size_t knob = 2 * at + (workers ? 0 : 1);
    for (bool applied = false; !applied && !over_;) {
      std::this_thread::yield();
      const Knob seen = ReadCounters(pipeline).knobs[knob];
      applied = seen.value == seen.requested;
    }
    ++changes_;
  }
}

std::vector<Taken> TakeAll(Pipeline& pipeline) {
  const Watchdog watchdog(pipeline);
  pipeline.Start();
  std::vector<Taken> all;
  Item item;
  do {
    all.push_back(Keep(pipeline.Next(item), item));
  } while (all.back().got != Pipeline::Got::kEnd);
  return all;
}

std::vector<Taken> RunAll(const PipelineDescription& description) {
  return TakeAll(*MustBuild(description));
}

std::vector<Taken> RunAllResized(const PipelineDescription& description, std::uint64_t seed) {
  const auto pipeline = MustBuild(description);
  const RandomResizer resizer(*pipeline, seed);
  return TakeAll(*pipeline);
}

PipelineDescription Sized(PipelineDescription description, int workers, int capacity) {
  for (OpSpec& op : description.ops) {
    op.workers = IsSerial(op) ? 1 : workers;
    op.capacity = capacity;
  }
  return description;
}

std::vector<std::uint64_t> IndicesOf(const std::vector<Taken>& taken) {
  std::vector<std::uint64_t> indices;
  for (const Taken& t : taken) indices.insert(indices.end(), t.indices.begin(), t.indices.end());
  return indices;
}

std::vector<std::uint64_t> UpTo(std::uint64_t n) {
  std::vector<std::uint64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void ExpectSame(const std::vector<Taken>& wanted, const std::vector<Taken>& got, const std::string& what) {
  const std::size_t both = std::min(wanted.size(), got.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (wanted[i] == got[i]) continue;
    ADD_FAILURE() << what << ": item " << i << " differs\nwanted " << Text(wanted[i]) << "\ngot    "
                  << Text(got[i]);
    return;
  }
  EXPECT_EQ(wanted.size(), got.size()) << what;
}

}  // namespace sluice::runtime
