// A pipeline as a plain value: what is built (pipeline.h) and run. Written by hand with the fluent calls
// below, or read from a scenario file (scenario.h); both give the same value.
//
//   auto p = Describe("train").Seed(7).Epochs(3);
//   p.ImageFolder("data/train").Shuffled().Workers(2).Capacity(64);
//   p.Map("decode", {Decode{}, RandomResizedCrop{}, Normalize{mean, std}, HwcToChw{}}).Workers(4);
//   p.Batch(64, DropRemainder::kYes).Capacity(2);
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/distribution.h"
#include "sluice/base/placement.h"
#include "sluice/base/units.h"
#include "sluice/image/transform.h"

namespace sluice::runtime {

struct Item;

enum class ErrorPolicy : std::uint8_t {
  kRaise = 0,    // the row's error reaches the consumer in the row's place
  kSkip = 1,     // the row is left out and counted
  kReplace = 2,  // the good row before it (at the very start: after it) takes its place; counted
};
enum class DropRemainder : std::uint8_t { kNo, kYes };

// Sources.
struct RangeSource {
  std::uint64_t count = 0;  // rows 0..count-1; a row is its index, without data
};
struct CifarSource {
  std::string folder;
  bool test = false;
};
struct ImageFolderSource {
  std::string folder;
};
struct SourceSpec {
  std::variant<RangeSource, CifarSource, ImageFolderSource> from;
  bool shuffle = false;  // a full seeded permutation per epoch
  // This run reads positions shard_id, shard_id + num_shards, ... of the (permuted) epoch.
  std::uint32_t num_shards = 1;
  std::uint32_t shard_id = 0;
};

// Ops.
struct MapSpec {
  std::vector<image::Transform> transforms{};
  std::uint32_t one_hot = 0;  // > 0: labels become one-hot vectors of that many classes
  bool fuse = true;
  // A function of the user's instead of transforms. Called from any worker, for one row at a time; throws
  // to report an error. Must depend on the row and its seed only.
  std::function<void(Item&)> function{};
};
// For experiments: burns CPU, waits, allocates. All draws depend on (seed, epoch, index) only.
struct SyntheticSpec {
  std::optional<Distribution> burn{};  // CPU time
  std::optional<Distribution> wait{};  // off-CPU time
  Bytes allocate{0};                   // the row's data becomes this many bytes
  Contention contention{};
};
struct ShuffleSpec {
  std::uint32_t buffer_size = 1024;  // rows
};
struct BatchSpec {
  std::uint32_t size = 1;  // rows
  bool drop_remainder = false;
};
struct RepeatSpec {
  std::uint32_t count = 1;
};
struct TakeSpec {
  std::uint64_t count = 0;  // items per epoch
};
struct SkipSpec {
  std::uint64_t count = 0;  // items per epoch
};
// One item of every input becomes one (Item::others); an epoch ends with the shortest input, and what is left
// of the others' is passed over.
struct ZipSpec {};
// All of an epoch's items of the first input, then of the second, ...
struct ConcatSpec {};

struct OpSpec {
  std::string name;  // unique; empty: the kind's name, numbered where needed
  std::variant<SourceSpec, MapSpec, SyntheticSpec, ShuffleSpec, BatchSpec, RepeatSpec, TakeSpec, SkipSpec,
               ZipSpec, ConcatSpec>
      what;
  // Names of the earlier ops whose items it takes; two or more for zip and concat. Empty: the op before.
  std::vector<std::string> inputs{};
  int workers = 1;
  int capacity = 16;    // items in the connector behind the op
  bool serial = false;  // never more than one worker (always so for the ops on the stream: shuffle to concat)
  bool ordered = true;  // false: items leave in the order they are finished
  ErrorPolicy on_error = ErrorPolicy::kRaise;
  // What tuning may do.
  int min_workers = 1, max_workers = 64;
  int min_capacity = 1, max_capacity = 1024;
  bool pin_workers = false, pin_capacity = false, pin_placement = false;
  Placement placement{};  // of its workers and of the memory of what it makes, at the start
  // That its workers run on, the whole run long; its placement, where it is not given, is the nodes of these,
  // and tuning leaves it alone. Empty: any.
  CpuSet cpus{};
};

struct PipelineDescription {
  std::string name = "pipeline";
  std::uint64_t seed = 1;
  std::uint64_t epochs = 1;  // 0: endless
  Bytes memory{0};           // budget for everything buffered; 0: a quarter of what is available
  std::vector<OpSpec>
      ops;  // in topological order, ops[0] is a source; the last one's items are the consumer's
};

// "range", "cifar10", "image_folder", "map", "synthetic", "shuffle", "batch", "repeat", "take", "skip", "zip"
// or "concat".
[[nodiscard]] std::string_view KindName(const OpSpec& op);
// The op says so, or its kind is always serial.
[[nodiscard]] bool IsSerial(const OpSpec& op);
// It has several inputs: a zip or a concat.
[[nodiscard]] bool Joins(const OpSpec& op);
[[nodiscard]] bool IsSource(const OpSpec& op);
// Whether its items are those it takes, in the same memory.
[[nodiscard]] bool PassesOn(const OpSpec& op);
// Whether it reads neither files nor the network, for sure: a function of the user's might.
[[nodiscard]] bool ReadsNothing(const OpSpec& op);
// The name of every op: its own, or where that is empty the kind's name, numbered until it is unique
// ("map", "map2").
[[nodiscard]] std::vector<std::string> OpNames(const PipelineDescription& pipeline);
// Of every op: the ops whose items it takes, in the order of its `inputs`. Names of no earlier op are left
// out (Validate refuses them).
[[nodiscard]] std::vector<std::vector<std::size_t>> InputsOf(const PipelineDescription& pipeline);
// Of every op: who takes its items; the number of ops where that is the consumer. REQUIRES a valid pipeline.
[[nodiscard]] std::vector<std::size_t> TakersOf(const PipelineDescription& pipeline);

// Fluent building. Ops are named as OpNames() does when they are added. A reference to the op added last;
// valid until the next one is added.
class OpHandle {
 public:
  OpHandle(PipelineDescription& description, std::size_t index) : description_(description), index_(index) {}
  OpHandle& Name(std::string name);
  OpHandle& Workers(int n);
  OpHandle& Capacity(int n);
  OpHandle& Serial();
  OpHandle& Unordered();
  OpHandle& OnError(ErrorPolicy policy);
  OpHandle& Input(std::string op);                                    // instead of the op before
  OpHandle& Shuffled();                                               // sources only
  OpHandle& Shard(std::uint32_t shard_id, std::uint32_t num_shards);  // sources only

 private:
  OpSpec& spec() { return description_.ops[index_]; }
  PipelineDescription& description_;
  std::size_t index_;
};

class Describe {
 public:
  explicit Describe(std::string name) { description_.name = std::move(name); }
  Describe& Seed(std::uint64_t seed);
  Describe& Epochs(std::uint64_t epochs);
  Describe& Memory(Bytes budget);
  OpHandle Range(std::uint64_t count);
  OpHandle Cifar10(std::string folder, bool test = false);
  OpHandle ImageFolder(std::string folder);
  OpHandle Map(std::string name, std::vector<image::Transform> transforms);
  OpHandle Map(std::string name, std::function<void(Item&)> function);
  OpHandle Synthetic(std::string name, SyntheticSpec spec);
  OpHandle Shuffle(std::uint32_t buffer_size);
  OpHandle Batch(std::uint32_t size, DropRemainder drop = DropRemainder::kNo);
  OpHandle Repeat(std::uint32_t count);
  OpHandle Take(std::uint64_t count);
  OpHandle Skip(std::uint64_t count);
  OpHandle Zip(std::vector<std::string> inputs);
  OpHandle Concat(std::vector<std::string> inputs);
  [[nodiscard]] const PipelineDescription& description() const { return description_; }
  operator const PipelineDescription&() const { return description_; }  // NOLINT: a description is one

 private:
  OpHandle Add(OpSpec spec);
  PipelineDescription description_;
};

}  // namespace sluice::runtime
