#include "op_factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/batch.h"
#include "ops/batch_slots.h"
#include "ops/dataset.h"
#include "ops/join_ops.h"
#include "ops/map.h"
#include "ops/stream_ops.h"
#include "ops/synthetic.h"

namespace sluice::runtime {
namespace {

// The ops that an item of `op` passes on its way to the consumer, in order.
std::vector<std::size_t> WayFrom(std::size_t op, const std::vector<std::size_t>& takers) {
  std::vector<std::size_t> way;
  for (std::size_t next = takers[op]; next < takers.size(); next = takers[next]) way.push_back(next);
  return way;
}

// Passes over the data of `source` that all epochs and repeats ask for; 0: endless.
std::uint64_t Passes(const PipelineDescription& description, const std::vector<std::size_t>& way) {
  std::uint64_t passes = description.epochs;
  for (const std::size_t op : way) {
    if (const auto* repeat = std::get_if<RepeatSpec>(&description.ops[op].what)) passes *= repeat->count;
  }
  return passes;
}

// A take that only one-to-one ops stand before can be left to the source: no row is read in vain.
std::optional<std::uint64_t> TakeAtSource(const PipelineDescription& description, std::size_t source,
                                          const std::vector<std::size_t>& way) {
  if (description.ops[source].on_error == ErrorPolicy::kSkip) return std::nullopt;
  for (const std::size_t i : way) {
    const OpSpec& op = description.ops[i];
    if (const auto* take = std::get_if<TakeSpec>(&op.what)) return take->count;
    const bool one_to_one =
        std::holds_alternative<MapSpec>(op.what) || std::holds_alternative<SyntheticSpec>(op.what);
    if (!one_to_one || op.on_error == ErrorPolicy::kSkip) return std::nullopt;
  }
  return std::nullopt;
}

// The first row of every item, or another part of it behind a zip.
struct Column {
  std::optional<std::size_t> row_bytes{};  // of a row or a batch, where all are alike
  bool pooled = false;                     // it is in pooled memory
  std::vector<std::size_t> accounts{};     // on these (memory_plan.h)
  std::uint32_t one_hot = 0;
};

// What is known about the items behind an op.
struct Flow {
  image::RowKind rows{};  // of the first column
  std::vector<Column> columns = std::vector<Column>(1);
  bool batched = false;
  bool in_place = false;  // the op before writes rows into batch places
};

bool Same(const image::RowKind& a, const image::RowKind& b) {
  return a.encoded == b.encoded && a.dtype == b.dtype && a.shape == b.shape && a.planar == b.planar;
}

void MergeInto(Column& column, const Column& other) {
  if (column.row_bytes != other.row_bytes) column.row_bytes.reset();
  column.pooled |= other.pooled;
  for (const std::size_t account : other.accounts) {
    if (std::ranges::count(column.accounts, account) == 0) column.accounts.push_back(account);
  }
}

// Walks along the ops, carrying what is known about the rows at each point.
class OpMaker {
 public:
  OpMaker(const PipelineDescription& description, MemoryPlan& memory, probes::segment::Counter& epoch)
      : description_(description),
        memory_(memory),
        epoch_(epoch),
        inputs_(InputsOf(description)),
        takers_(TakersOf(description)) {}

  Result<std::unique_ptr<OpLogic>> Make(std::size_t index) {
    at_ = index;
    flow_ = inputs_[index].empty() ? Flow{} : flows_[inputs_[index][0]];
    auto made = std::visit([this](const auto& spec) { return From(spec); }, description_.ops[index].what);
    flows_.push_back(flow_);
    return made;
  }

  // Once they have been made.
  [[nodiscard]] std::vector<const SourceLogic*> sources() const { return sources_; }

  // The consumer keeps the last good item.
  void TellConsumersNeed() {
    at_ = description_.ops.size();
    TellNeed();
  }

 private:
  using Made = Result<std::unique_ptr<OpLogic>>;

  Made From(const SourceSpec& spec) {
    auto dataset = OpenDataset(spec, {memory_.pool().limit().count / 4});
    if (!dataset) return std::unexpected(dataset.error());
    if ((*dataset)->size() == 0) return Fail("there are no rows");
    memory_.pool().SetAside((*dataset)->HeldBytes());
    flow_.rows = (*dataset)->kind();
    Column& column = flow_.columns[0];
    if ((*dataset)->LargestRow() > 0) Own(column);
    column.row_bytes = flow_.rows.encoded ? std::nullopt : std::optional(FixedRowBytes().value_or(0));
    if (spec.num_shards > (*dataset)->size()) {
      return Fail(fmt::format("num_shards = {} is more than the {} rows there are", spec.num_shards,
                              (*dataset)->size()));
    }
    const auto way = WayFrom(at_, takers_);
    SourcePlan plan{.op = at_,
                    .seed = description_.seed,
                    .passes = Passes(description_, way),
                    .shuffle = spec.shuffle,
                    .num_shards = spec.num_shards,
                    .shard_id = spec.shard_id,
                    .take = TakeAtSource(description_, at_, way),
                    .first_row = sources_.empty() ? 0 : sources_.back()->EndOfRows()};
    // The epoch that is told is the last source's: of a concat's inputs the one that is read to the end of
    // it.
    const bool last = std::ranges::none_of(std::span(description_.ops).subspan(at_ + 1), IsSource);
    auto source = std::make_unique<SourceLogic>(plan, std::move(*dataset), memory_, last ? &epoch_ : nullptr);
    sources_.push_back(source.get());
    return source;
  }

  Made From(const MapSpec& spec) {
    if (spec.one_hot > 0) flow_.columns[0].one_hot = spec.one_hot;
    std::optional<image::RowProgram> program;
    if (!spec.transforms.empty()) {
      auto compiled = image::RowProgram::Compile(spec.transforms, flow_.rows, spec.fuse);
      if (!compiled) return std::unexpected(compiled.error());
      flow_.rows = compiled->output();
      Own(flow_.columns[0], FixedRowBytes());
      program = std::move(*compiled);
    }
    std::unique_ptr<BatchSlots> slots;
    if (spec.function) {
      flow_.rows = {};
      flow_.columns[0].row_bytes.reset();
    } else if (program) {
      slots = SlotsForNext();
      if (slots == nullptr) TellOwnNeed();
    }
    MapPlan plan{at_, description_.seed, spec.one_hot, spec.function};
    return std::make_unique<MapLogic>(std::move(plan), std::move(program), std::move(slots), memory_);
  }

  // Rows can be written straight into their batch when the batch comes next, all rows have one known shape
  // and nothing beside it, and they leave this op in order.
  std::unique_ptr<BatchSlots> SlotsForNext() {
    const std::size_t next = takers_[at_];
    if (next == description_.ops.size() || !description_.ops[at_].ordered) return nullptr;
    const auto* batch = std::get_if<BatchSpec>(&description_.ops[next].what);
    const auto row_bytes = FixedRowBytes();
    if (batch == nullptr || !row_bytes || flow_.columns.size() > 1) return nullptr;
    flow_.in_place = true;
    const BatchPlan plan{batch->size, *row_bytes, flow_.columns[0].one_hot};
    return std::make_unique<BatchSlots>(memory_, at_, plan);
  }

  Made From(const SyntheticSpec& spec) {
    if (spec.allocate.count > 0 && !flow_.batched) {
      flow_.rows = {};
      flow_.columns.resize(1);
      Own(flow_.columns[0], static_cast<std::size_t>(spec.allocate.count));
    }
    return std::make_unique<SyntheticLogic>(at_, description_.seed, spec, memory_);
  }

  Made From(const ShuffleSpec& spec) {
    TellNeed(spec.buffer_size + 1);
    return std::make_unique<ShuffleLogic>(at_, description_.seed, spec.buffer_size, memory_);
  }

  Made From(const BatchSpec& spec) {
    const bool in_place = std::exchange(flow_.in_place, false);
    TellBatchNeed(spec.size, in_place);
    flow_.batched = true;
    return std::make_unique<BatchLogic>(at_, spec.size, spec.drop_remainder, in_place, memory_);
  }

  [[nodiscard]] std::optional<std::size_t> FixedRowBytes() const {
    if (!flow_.rows.shape || !flow_.rows.dtype) return std::nullopt;
    return flow_.rows.shape->Elements() * image::SizeOf(*flow_.rows.dtype);
  }

  // From here on it is in memory that this op has acquired.
  void Own(Column& column, std::optional<std::size_t> row_bytes = std::nullopt) const {
    column.row_bytes = row_bytes;
    column.pooled = true;
    column.accounts = {memory_.AccountOf(at_)};
  }

  // To move on, this op needs memory for one row of its own.
  void TellOwnNeed() {
    const auto bytes = flow_.columns[0].row_bytes;
    if (!bytes) return memory_.Varies(at_);
    memory_.Need(at_, BufferPool::Cost(*bytes));
  }

  // To move on, this op must be able to keep so many rows.
  void TellNeed(std::int64_t rows = 1) {
    std::vector<Bytes> needs(memory_.accounts());
    for (const Column& column : flow_.columns) AddNeed(needs, column, rows);
    Tell(needs);
  }
  void AddNeed(std::vector<Bytes>& needs, const Column& column, std::int64_t rows) {
    for (const std::size_t account : column.accounts) {
      if (!column.row_bytes) memory_.Varies(at_, account);
      if (column.row_bytes && column.pooled) needs[account] += BufferPool::Cost(*column.row_bytes) * rows;
    }
    if (!column.row_bytes && column.accounts.empty()) memory_.Varies(at_);
  }
  void Tell(const std::vector<Bytes>& needs) {
    for (std::size_t a = 0; a < needs.size(); ++a) memory_.Need(at_, a, needs[a]);
  }

  // The rows that are gathered and the batches that they are copied to. Of rows that are in place already one
  // batch may be waiting for its last rows while they are being made in the next one's buffer: where rows
  // before them were left out.
  void TellBatchNeed(std::uint32_t size, bool in_place) {
    std::vector<Bytes> needs(memory_.accounts());
    const std::size_t own = memory_.AccountOf(at_);
    for (Column& column : flow_.columns) {
      if (!in_place) AddNeed(needs, column, size);
      std::optional<std::size_t> batch_bytes;
      if (!column.row_bytes) {
        memory_.Varies(at_);
      } else {
        batch_bytes = BatchPlan{size, *column.row_bytes, column.one_hot}.Size();
        if (!in_place || LeavesOut()) needs[own] += BufferPool::Cost(*batch_bytes);
      }
      Own(column, batch_bytes);
    }
    Tell(needs);
  }
  [[nodiscard]] bool LeavesOut() const {
    return std::ranges::any_of(std::span(description_.ops).first(at_),
                               [](const OpSpec& op) { return op.on_error == ErrorPolicy::kSkip; });
  }

  Made From(const RepeatSpec& spec) { return std::make_unique<RepeatLogic>(spec.count); }
  Made From(const TakeSpec& spec) { return std::make_unique<RangeOfEpochLogic>(0, spec.count); }
  Made From(const SkipSpec& spec) {
    return std::make_unique<RangeOfEpochLogic>(spec.count, std::numeric_limits<std::uint64_t>::max());
  }

  Made From(const ZipSpec&) {
    for (const std::size_t input : std::span(inputs_[at_]).subspan(1)) {
      const auto& more = flows_[input].columns;
      flow_.columns.insert(flow_.columns.end(), more.begin(), more.end());
    }
    return std::make_unique<ZipLogic>(inputs_[at_].size());
  }

  Made From(const ConcatSpec&) {
    for (const std::size_t input : std::span(inputs_[at_]).subspan(1)) {
      const Flow& other = flows_[input];
      if (!Same(flow_.rows, other.rows)) flow_.rows = {};
      for (std::size_t i = 0; i < flow_.columns.size(); ++i) MergeInto(flow_.columns[i], other.columns[i]);
    }
    return std::make_unique<ConcatLogic>(inputs_[at_].size());
  }

  const PipelineDescription& description_;
  MemoryPlan& memory_;
  probes::segment::Counter& epoch_;
  const std::vector<std::vector<std::size_t>> inputs_;
  const std::vector<std::size_t> takers_;
  std::vector<const SourceLogic*> sources_;
  std::vector<Flow> flows_;  // behind each op made
  std::size_t at_ = 0;
  Flow flow_;  // before it, then behind it
};

}  // namespace

// Each source begins a branch, and each join what follows it.
std::vector<std::size_t> MemoryAccounts(const PipelineDescription& description) {
  const auto inputs = InputsOf(description);
  std::vector<std::size_t> accounts;
  std::size_t used = 0;
  accounts.reserve(inputs.size());
  for (const auto& of : inputs) accounts.push_back(of.size() == 1 ? accounts[of[0]] : used++);
  accounts.push_back(accounts.back());  // the consumer's
  return accounts;
}

bool ReplacesAtTheEnd(const PipelineDescription& description) {
  const auto takers = TakersOf(description);
  for (std::size_t i = 0; i < description.ops.size(); ++i) {
    if (description.ops[i].on_error != ErrorPolicy::kReplace) continue;
    const auto way = WayFrom(i, takers);
    const auto is_batch = [&](std::size_t op) {
      return std::holds_alternative<BatchSpec>(description.ops[op].what);
    };
    if (std::ranges::none_of(way, is_batch)) return true;  // else filled within the batches
  }
  return false;
}

Result<MadeOps> MakeOps(const PipelineDescription& description, MemoryPlan& memory,
                        probes::segment::Counter& epoch) {
  OpMaker maker(description, memory, epoch);
  std::vector<std::unique_ptr<OpLogic>> ops;
  for (std::size_t i = 0; i < description.ops.size(); ++i) {
    auto made = maker.Make(i);
    if (!made) return Fail(fmt::format("{}: {}", description.ops[i].name, made.error().message));
    ops.push_back(std::move(*made));
  }
  if (ReplacesAtTheEnd(description)) maker.TellConsumersNeed();
  if (const auto settled = memory.Settle(); !settled) return std::unexpected(settled.error());
  return MadeOps{std::move(ops), maker.sources()};
}

}  // namespace sluice::runtime
