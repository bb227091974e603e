#include "sluice/runtime/description.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/check.h"

namespace sluice::runtime {
namespace {

std::string_view SourceKind(const SourceSpec& source) {
  constexpr std::array<std::string_view, 3> kNames = {"range", "cifar10", "image_folder"};
  return kNames[source.from.index()];
}

std::string Numbered(std::string_view kind, std::size_t number) {
  return number == 1 ? std::string(kind) : std::string(kind) + std::to_string(number);
}

std::string FreeName(std::string_view kind, const std::vector<std::string>& taken) {
  std::size_t number = 1;
  while (std::ranges::count(taken, Numbered(kind, number)) > 0) ++number;
  return Numbered(kind, number);
}

std::vector<std::string> GivenNames(const PipelineDescription& pipeline) {
  std::vector<std::string> names;
  names.reserve(pipeline.ops.size());
  for (const OpSpec& op : pipeline.ops) names.push_back(op.name);
  return names;
}

bool OnlyReorders(const OpSpec& op) {
  return std::holds_alternative<ShuffleSpec>(op.what) || std::holds_alternative<RepeatSpec>(op.what) ||
         std::holds_alternative<TakeSpec>(op.what) || std::holds_alternative<SkipSpec>(op.what) || Joins(op);
}

OpSpec Source(SourceSpec source) {
  OpSpec op;
  op.what = std::move(source);
  return op;
}

}  // namespace

std::string_view KindName(const OpSpec& op) {
  constexpr std::array<std::string_view, 10> kNames = {"",       "map",  "synthetic", "shuffle", "batch",
                                                       "repeat", "take", "skip",      "zip",     "concat"};
  const auto* source = std::get_if<SourceSpec>(&op.what);
  return source != nullptr ? SourceKind(*source) : kNames[op.what.index()];
}

bool Joins(const OpSpec& op) {
  return std::holds_alternative<ZipSpec>(op.what) || std::holds_alternative<ConcatSpec>(op.what);
}

bool IsSource(const OpSpec& op) {
  return std::holds_alternative<SourceSpec>(op.what);
}

bool IsSerial(const OpSpec& op) {
  return op.serial || OnlyReorders(op);
}

bool PassesOn(const OpSpec& op) {
  if (const auto* synthetic = std::get_if<SyntheticSpec>(&op.what)) return synthetic->allocate == Bytes{0};
  if (const auto* map = std::get_if<MapSpec>(&op.what)) return map->transforms.empty() && !map->function;
  return OnlyReorders(op);
}

bool ReadsNothing(const OpSpec& op) {
  if (const auto* source = std::get_if<SourceSpec>(&op.what))
    return std::holds_alternative<RangeSource>(source->from);
  const auto* map = std::get_if<MapSpec>(&op.what);
  return map == nullptr || !map->function;
}

std::vector<std::string> OpNames(const PipelineDescription& pipeline) {
  std::vector<std::string> names = GivenNames(pipeline);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = FreeName(KindName(pipeline.ops[i]), names);
  }
  return names;
}

std::vector<std::vector<std::size_t>> InputsOf(const PipelineDescription& pipeline) {
  const std::vector<std::string> names = OpNames(pipeline);
  std::vector<std::vector<std::size_t>> all(pipeline.ops.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const OpSpec& op = pipeline.ops[i];
    if (op.inputs.empty() && i > 0 && !IsSource(op)) all[i] = {i - 1};
    for (const std::string& input : op.inputs) {
      const auto found = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), input);
      const auto at = static_cast<std::size_t>(found - names.begin());
      if (at < i) all[i].push_back(at);
    }
  }
  return all;
}

std::vector<std::size_t> TakersOf(const PipelineDescription& pipeline) {
  std::vector<std::size_t> takers(pipeline.ops.size(), pipeline.ops.size());
  const auto inputs = InputsOf(pipeline);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::size_t input : inputs[i]) takers[input] = i;
  }
  return takers;
}

OpHandle& OpHandle::Name(std::string name) {
  spec().name = std::move(name);
  return *this;
}

OpHandle& OpHandle::Workers(int n) {
  spec().workers = n;
  return *this;
}

OpHandle& OpHandle::Capacity(int n) {
  spec().capacity = n;
  return *this;
}

OpHandle& OpHandle::Serial() {
  spec().serial = true;
  return *this;
}

OpHandle& OpHandle::Unordered() {
  spec().ordered = false;
  return *this;
}

OpHandle& OpHandle::OnError(ErrorPolicy policy) {
  spec().on_error = policy;
  return *this;
}

OpHandle& OpHandle::Input(std::string op) {
  spec().inputs = {std::move(op)};
  return *this;
}

OpHandle& OpHandle::Shuffled() {
  auto* source = std::get_if<SourceSpec>(&spec().what);
  SLUICE_CHECK(source != nullptr);
  source->shuffle = true;
  return *this;
}

OpHandle& OpHandle::Shard(std::uint32_t shard_id, std::uint32_t num_shards) {
  auto* source = std::get_if<SourceSpec>(&spec().what);
  SLUICE_CHECK(source != nullptr);
  source->shard_id = shard_id;
  source->num_shards = num_shards;
  return *this;
}

Describe& Describe::Seed(std::uint64_t seed) {
  description_.seed = seed;
  return *this;
}

Describe& Describe::Epochs(std::uint64_t epochs) {
  description_.epochs = epochs;
  return *this;
}

Describe& Describe::Memory(Bytes budget) {
  description_.memory = budget;
  return *this;
}

OpHandle Describe::Range(std::uint64_t count) {
  return Add(Source({.from = RangeSource{count}}));
}

OpHandle Describe::Cifar10(std::string folder, bool test) {
  return Add(Source({.from = CifarSource{std::move(folder), test}}));
}

OpHandle Describe::ImageFolder(std::string folder) {
  return Add(Source({.from = ImageFolderSource{std::move(folder)}}));
}

OpHandle Describe::Map(std::string name, std::vector<image::Transform> transforms) {
  OpSpec op;
  op.name = std::move(name);
  op.what.emplace<MapSpec>().transforms = std::move(transforms);
  return Add(std::move(op));
}

OpHandle Describe::Map(std::string name, std::function<void(Item&)> function) {
  OpSpec op;
  op.name = std::move(name);
  op.what.emplace<MapSpec>().function = std::move(function);
  return Add(std::move(op));
}

OpHandle Describe::Synthetic(std::string name, SyntheticSpec spec) {
  OpSpec op;
  op.name = std::move(name);
  op.what = std::move(spec);
  return Add(std::move(op));
}

OpHandle Describe::Shuffle(std::uint32_t buffer_size) {
  OpSpec op;
  op.what = ShuffleSpec{buffer_size};
  return Add(std::move(op));
}

OpHandle Describe::Batch(std::uint32_t size, DropRemainder drop) {
  OpSpec op;
  op.what = BatchSpec{size, drop == DropRemainder::kYes};
  return Add(std::move(op));
}

OpHandle Describe::Repeat(std::uint32_t count) {
  OpSpec op;
  op.what = RepeatSpec{count};
  return Add(std::move(op));
}

OpHandle Describe::Take(std::uint64_t count) {
  OpSpec op;
  op.what = TakeSpec{count};
  return Add(std::move(op));
}

OpHandle Describe::Skip(std::uint64_t count) {
  OpSpec op;
  op.what = SkipSpec{count};
  return Add(std::move(op));
}

OpHandle Describe::Zip(std::vector<std::string> inputs) {
  OpSpec op;
  op.what = ZipSpec{};
  op.inputs = std::move(inputs);
  return Add(std::move(op));
}

OpHandle Describe::Concat(std::vector<std::string> inputs) {
  OpSpec op;
  op.what = ConcatSpec{};
  op.inputs = std::move(inputs);
  return Add(std::move(op));
}

OpHandle Describe::Add(OpSpec spec) {
  if (spec.name.empty()) spec.name = FreeName(KindName(spec), GivenNames(description_));
  description_.ops.push_back(std::move(spec));
  return OpHandle(description_, description_.ops.size() - 1);
}

}  // namespace sluice::runtime
