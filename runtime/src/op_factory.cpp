#include "op_factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/batch.h"
#include "ops/batch_slots.h"
#include "ops/dataset.h"
#include "ops/map.h"
#include "ops/stream_ops.h"
#include "ops/synthetic.h"

namespace sluice::runtime {
namespace {

// Passes over the data that all epochs and repeats ask for; 0: endless.
std::uint64_t Passes(const PipelineDescription& description) {
  std::uint64_t passes = description.epochs;
  for (const OpSpec& op : description.ops) {
    if (const auto* repeat = std::get_if<RepeatSpec>(&op.what)) passes *= repeat->count;
  }
  return passes;
}

// A take that only one-to-one ops stand before can be left to the source: no row is read in vain.
std::optional<std::uint64_t> TakeAtSource(const PipelineDescription& description) {
  if (description.ops[0].on_error == ErrorPolicy::kSkip) return std::nullopt;
  for (const OpSpec& op : std::span(description.ops).subspan(1)) {
    if (const auto* take = std::get_if<TakeSpec>(&op.what)) return take->count;
    const bool one_to_one =
        std::holds_alternative<MapSpec>(op.what) || std::holds_alternative<SyntheticSpec>(op.what);
    if (!one_to_one || op.on_error == ErrorPolicy::kSkip) return std::nullopt;
  }
  return std::nullopt;
}

// Walks along the ops, carrying what is known about the rows at each point.
class OpMaker {
 public:
  OpMaker(const PipelineDescription& description, MemoryPlan& memory, probes::segment::Counter& epoch)
      : description_(description), memory_(memory), epoch_(epoch) {}

  Result<std::unique_ptr<OpLogic>> Make(std::size_t index) {
    at_ = index;
    return std::visit([this](const auto& spec) { return From(spec); }, description_.ops[index].what);
  }

  // Once it has been made.
  [[nodiscard]] const SourceLogic* source() const { return source_; }

  // The consumer keeps the last good item.
  void TellConsumersNeed() {
    at_ = description_.ops.size();
    TellNeed(row_bytes_);
  }

 private:
  using Made = Result<std::unique_ptr<OpLogic>>;

  Made From(const SourceSpec& spec) {
    auto dataset = OpenDataset(spec, {memory_.pool().limit().count / 4});
    if (!dataset) return std::unexpected(dataset.error());
    if ((*dataset)->size() == 0) return Fail("there are no rows");
    memory_.pool().SetAside((*dataset)->HeldBytes());
    rows_ = (*dataset)->kind();
    pooled_ = (*dataset)->LargestRow() > 0;
    row_bytes_ = rows_.encoded ? std::nullopt : std::optional(FixedRowBytes().value_or(0));
    SourcePlan plan{description_.seed, Passes(description_), spec.shuffle,
                    spec.num_shards,   spec.shard_id,        TakeAtSource(description_)};
    if (spec.num_shards > (*dataset)->size()) {
      return Fail(fmt::format("num_shards = {} is more than the {} rows there are", spec.num_shards,
                              (*dataset)->size()));
    }
    auto source = std::make_unique<SourceLogic>(plan, std::move(*dataset), memory_, epoch_);
    source_ = source.get();
    return source;
  }

  Made From(const MapSpec& spec) {
    if (spec.one_hot > 0) one_hot_ = spec.one_hot;
    std::optional<image::RowProgram> program;
    if (!spec.transforms.empty()) {
      auto compiled = image::RowProgram::Compile(spec.transforms, rows_, spec.fuse);
      if (!compiled) return std::unexpected(compiled.error());
      rows_ = compiled->output();
      row_bytes_ = FixedRowBytes();
      pooled_ = true;
      program = std::move(*compiled);
    }
    std::unique_ptr<BatchSlots> slots;
    if (spec.function) {
      rows_ = {};
      row_bytes_.reset();
    } else if (program) {
      slots = SlotsForNext();
      if (slots == nullptr) TellNeed(row_bytes_);
    }
    MapPlan plan{at_, description_.seed, spec.one_hot, spec.function};
    return std::make_unique<MapLogic>(std::move(plan), std::move(program), std::move(slots), memory_);
  }

  // Rows can be written straight into their batch when the batch comes next, all rows have one known shape,
  // and they leave this op in order.
  std::unique_ptr<BatchSlots> SlotsForNext() {
    if (at_ + 1 >= description_.ops.size() || !description_.ops[at_].ordered) return nullptr;
    const auto* batch = std::get_if<BatchSpec>(&description_.ops[at_ + 1].what);
    if (batch == nullptr || !rows_.shape || !rows_.dtype) return nullptr;
    in_place_ = true;
    const BatchPlan plan{batch->size, rows_.shape->Elements() * image::SizeOf(*rows_.dtype), one_hot_};
    return std::make_unique<BatchSlots>(memory_, at_, plan);
  }

  Made From(const SyntheticSpec& spec) {
    if (spec.allocate.count > 0 && !batched_) {
      rows_ = {};
      row_bytes_ = static_cast<std::size_t>(spec.allocate.count);
      pooled_ = true;
    }
    return std::make_unique<SyntheticLogic>(at_, description_.seed, spec, memory_);
  }

  Made From(const ShuffleSpec& spec) {
    TellNeed(row_bytes_, spec.buffer_size + 1);
    return std::make_unique<ShuffleLogic>(at_, description_.seed, spec.buffer_size, memory_);
  }

  Made From(const BatchSpec& spec) {
    const bool in_place = std::exchange(in_place_, false);
    TellBatchNeed(spec.size, in_place);
    pooled_ = batched_ = true;
    return std::make_unique<BatchLogic>(at_, spec.size, spec.drop_remainder, in_place, memory_);
  }

  [[nodiscard]] std::optional<std::size_t> FixedRowBytes() const {
    if (!rows_.shape || !rows_.dtype) return std::nullopt;
    return rows_.shape->Elements() * image::SizeOf(*rows_.dtype);
  }

  // To move on, this op needs memory for so many rows.
  void TellNeed(std::optional<std::size_t> bytes, std::int64_t rows = 1) {
    if (!bytes) return memory_.Varies(at_);
    if (pooled_) memory_.Need(at_, BufferPool::Cost(*bytes) * rows);
  }

  // The rows that are gathered and the batch that they are copied to. Of rows that are in place already one
  // batch may be waiting for its last rows while they are being made in the next one's buffer: where rows
  // before them were left out.
  void TellBatchNeed(std::uint32_t size, bool in_place) {
    if (!row_bytes_) return memory_.Varies(at_);
    const BatchPlan plan{size, *row_bytes_, one_hot_};
    row_bytes_ = plan.Size();
    Bytes needed = BufferPool::Cost(plan.Size());
    if (pooled_ && !in_place) needed += BufferPool::Cost(plan.row_bytes) * size;
    if (!in_place || LeavesOut()) memory_.Need(at_, needed);
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

  const PipelineDescription& description_;
  MemoryPlan& memory_;
  probes::segment::Counter& epoch_;
  const SourceLogic* source_ = nullptr;
  std::size_t at_ = 0;
  image::RowKind rows_;
  std::optional<std::size_t> row_bytes_;  // of a row or a batch, where all are alike
  bool pooled_ = false;                   // they are in pooled memory
  bool batched_ = false;
  std::uint32_t one_hot_ = 0;
  bool in_place_ = false;  // the op before writes rows into batch places
};

}  // namespace

bool ReplacesAtTheEnd(const PipelineDescription& description) {
  bool replaces = false;
  for (const OpSpec& op : description.ops) {
    if (std::holds_alternative<BatchSpec>(op.what)) replaces = false;  // filled within the batches
    replaces |= op.on_error == ErrorPolicy::kReplace;
  }
  return replaces;
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
  return MadeOps{std::move(ops), maker.source()};
}

}  // namespace sluice::runtime
