#include <fmt/format.h>

#include <array>

#include "scenario_parts.h"
#include "sluice/toml/toml_times.h"

namespace sluice::runtime {
namespace {

using OpField = toml::Field<OpSpec>;
using OpFields = std::vector<OpField>;

// The field `key` of the op's specification S.
template <typename S, auto member>
Result<void> Into(const toml::TomlValue& v, OpSpec& op) {
  return v.To(std::get<S>(op.what).*member);
}

// The field `key` of every op.
template <auto member>
Result<void> Of(const toml::TomlValue& v, OpSpec& op) {
  return v.To(op.*member);
}

template <typename From, auto member>
Result<void> IntoSource(const toml::TomlValue& v, OpSpec& op) {
  return v.To(std::get<From>(std::get<SourceSpec>(op.what).from).*member);
}

Result<void> OnError(const toml::TomlValue& v, OpSpec& op) {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, ErrorPolicy>>(
      {{"raise", ErrorPolicy::kRaise}, {"skip", ErrorPolicy::kSkip}, {"replace", ErrorPolicy::kReplace}});
  return v.ToOneOf(kWords, op.on_error);
}

Result<void> Serial(const toml::TomlValue& v, OpSpec& op) {
  const bool always = IsSerial(op);
  auto read = v.To(op.serial);
  if (read && always && !op.serial) {
    return v.Fail(fmt::format("an op of the kind {} is always serial", KindName(op)));
  }
  return read;
}

Result<void> Input(const toml::TomlValue& v, OpSpec& op) {
  return v.To(op.inputs.emplace_back());
}

Result<void> Inputs(const toml::TomlValue& v, OpSpec& op) {
  const ::toml::array* array = v.node().as_array();
  if (array == nullptr) return v.Refuse("an array of the names of ops");
  for (const ::toml::node& name : *array) {
    if (auto read = Input({name, v.place(), "inputs"}, op); !read) return read;
  }
  return {};
}

Result<void> Transforms(const toml::TomlValue& v, OpSpec& op) {
  const ::toml::array* array = v.node().as_array();
  if (array == nullptr) return v.Refuse("an array of transforms");
  for (const ::toml::node& node : *array) {
    auto transform = ReadTransform(node, v.place());
    if (!transform) return std::unexpected(transform.error());
    std::get<MapSpec>(op.what).transforms.push_back(std::move(*transform));
  }
  return {};
}

template <auto member>
Result<void> MaybeDistribution(const toml::TomlValue& v, OpSpec& op) {
  return toml::ReadDistribution(v, (std::get<SyntheticSpec>(op.what).*member).emplace());
}

Result<void> ReadContentionOf(const toml::TomlValue& v, OpSpec& op) {
  return toml::ReadContention(v, std::get<SyntheticSpec>(op.what).contention);
}

Result<void> ReadPlacement(const toml::TomlValue& v, OpSpec& op) {
  const auto text = v.node().value<std::string_view>();
  if (!text) return v.Refuse("a text such as \"1\", \"0-1:bind\" or \"anywhere\"");
  const auto placement = ParsePlacement(*text);
  if (!placement) return toml::FailAt(v.place(), v.node(), "placement: " + placement.error().message);
  op.placement = *placement;
  return {};
}

Result<void> ReadCpus(const toml::TomlValue& v, OpSpec& op) {
  const auto text = v.node().value<std::string_view>();
  const auto cpus = text ? ParseCpuList(*text) : std::nullopt;
  if (!cpus || cpus->empty()) return v.Refuse("a text such as \"4\" or \"0-3,8\"");
  op.cpus = *cpus;
  return {};
}

constexpr auto kEveryOp = std::to_array<OpField>({
    {"kind", nullptr, true},
    {"name", Of<&OpSpec::name>},
    {"workers", Of<&OpSpec::workers>},
    {"capacity", Of<&OpSpec::capacity>},
    {"serial", Serial},
    {"ordered", Of<&OpSpec::ordered>},
    {"on_error", OnError},
    {"min_workers", Of<&OpSpec::min_workers>},
    {"max_workers", Of<&OpSpec::max_workers>},
    {"min_capacity", Of<&OpSpec::min_capacity>},
    {"max_capacity", Of<&OpSpec::max_capacity>},
    {"pin_workers", Of<&OpSpec::pin_workers>},
    {"pin_capacity", Of<&OpSpec::pin_capacity>},
    {"pin_placement", Of<&OpSpec::pin_placement>},
    {"placement", ReadPlacement},
    {"cpus", ReadCpus},
});

constexpr auto kEverySource = std::to_array<OpField>({
    {"shuffle", Into<SourceSpec, &SourceSpec::shuffle>},
    {"num_shards", Into<SourceSpec, &SourceSpec::num_shards>},
    {"shard_id", Into<SourceSpec, &SourceSpec::shard_id>},
});

constexpr auto kOneInput = std::to_array<OpField>({{"input", Input}});

// A kind of op: its name, an empty one, and the keys that only it knows.
struct OpKind {
  std::string_view name;
  OpSpec (*make)();
  OpFields fields;
};

template <typename S>
OpSpec Make() {
  OpSpec op;
  op.what.emplace<S>();
  return op;
}

template <typename From>
OpSpec MakeSource() {
  OpSpec op;
  op.what.emplace<SourceSpec>().from.emplace<From>();
  return op;
}

const std::vector<OpKind>& SourceKinds() {
  static const std::vector<OpKind> kinds = {
      {"range", MakeSource<RangeSource>, {{"count", IntoSource<RangeSource, &RangeSource::count>, true}}},
      {"cifar10",
       MakeSource<CifarSource>,
       {{"path", IntoSource<CifarSource, &CifarSource::folder>, true},
        {"test", IntoSource<CifarSource, &CifarSource::test>}}},
      {"image_folder",
       MakeSource<ImageFolderSource>,
       {{"path", IntoSource<ImageFolderSource, &ImageFolderSource::folder>, true}}},
  };
  return kinds;
}

const std::vector<OpKind>& OpKinds() {
  static const std::vector<OpKind> kinds = {
      {"map",
       Make<MapSpec>,
       {{"transforms", Transforms},
        {"one_hot", Into<MapSpec, &MapSpec::one_hot>},
        {"fuse", Into<MapSpec, &MapSpec::fuse>}}},
      {"synthetic",
       Make<SyntheticSpec>,
       {{"burn", MaybeDistribution<&SyntheticSpec::burn>},
        {"wait", MaybeDistribution<&SyntheticSpec::wait>},
        {"allocate", Into<SyntheticSpec, &SyntheticSpec::allocate>},
        {"contention", ReadContentionOf}}},
      {"shuffle", Make<ShuffleSpec>, {{"buffer_size", Into<ShuffleSpec, &ShuffleSpec::buffer_size>}}},
      {"batch",
       Make<BatchSpec>,
       {{"size", Into<BatchSpec, &BatchSpec::size>, true},
        {"drop_remainder", Into<BatchSpec, &BatchSpec::drop_remainder>}}},
      {"repeat", Make<RepeatSpec>, {{"count", Into<RepeatSpec, &RepeatSpec::count>, true}}},
      {"take", Make<TakeSpec>, {{"count", Into<TakeSpec, &TakeSpec::count>, true}}},
      {"skip", Make<SkipSpec>, {{"count", Into<SkipSpec, &SkipSpec::count>, true}}},
      {"zip", Make<ZipSpec>, {{"inputs", Inputs, true}}},
      {"concat", Make<ConcatSpec>, {{"inputs", Inputs, true}}},
  };
  return kinds;
}

OpFields Joined(std::span<const OpField> some, std::span<const OpField> others) {
  OpFields all(some.begin(), some.end());
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Result<const OpKind*> FindKind(const ::toml::table& table, const toml::Place& place, bool source_only) {
  std::vector<std::pair<std::string_view, const OpKind*>> words;
  for (const OpKind& kind : SourceKinds()) words.emplace_back(kind.name, &kind);
  for (const OpKind& kind : OpKinds()) {
    if (!source_only) words.emplace_back(kind.name, &kind);
  }
  const ::toml::node* node = table.get("kind");
  if (node == nullptr) return toml::FailAt(place, table, "the key 'kind' is missing");
  const OpKind* kind = nullptr;
  const auto found = toml::TomlValue(*node, place, "kind").ToOneOf(words, kind);
  if (!found) return std::unexpected(found.error());
  return kind;
}

Result<OpSpec> Read(const ::toml::table& table, const toml::Place& place, bool source_only) {
  const auto kind = FindKind(table, place, source_only);
  if (!kind) return std::unexpected(kind.error());
  OpSpec op = (*kind)->make();
  OpFields fields = Joined(kEveryOp, (*kind)->fields);
  if (IsSource(op)) fields = Joined(fields, kEverySource);
  if (!IsSource(op) && !Joins(op)) fields = Joined(fields, kOneInput);
  const auto read = toml::ReadFields(table, place, fields, op);
  if (!read) return std::unexpected(read.error());
  return op;
}

std::string Label(const ::toml::table& table, std::size_t number) {
  const auto name = table["name"].value<std::string_view>();
  if (name && !name->empty()) return fmt::format("[[op]] {}", name->substr(0, 48));
  const auto kind = table["kind"].value<std::string_view>();
  return kind ? fmt::format("[[op]] {} (number {})", kind->substr(0, 48), number)
              : fmt::format("[[op]] number {}", number);
}

}  // namespace

Result<OpSpec> ReadSource(const ::toml::table& table, std::string_view file) {
  return Read(table, {file, "[source]"}, true);
}

Result<OpSpec> ReadOp(const ::toml::table& table, std::string_view file, std::size_t number) {
  return Read(table, {file, Label(table, number)}, false);
}

void AppendOpKeys(std::vector<SectionKeys>& sections) {
  sections.push_back({"every op", toml::KeysOf<OpSpec>(kEveryOp)});
  sections.push_back({"every source", toml::KeysOf<OpSpec>(kEverySource)});
  sections.push_back({"every op of one input", toml::KeysOf<OpSpec>(kOneInput)});
  for (const auto* kinds : {&SourceKinds(), &OpKinds()}) {
    for (const OpKind& kind : *kinds) {
      sections.push_back({std::string(kind.name), toml::KeysOf<OpSpec>(kind.fields)});
    }
  }
  sections.push_back({"contention", toml::ContentionKeys()});
}

}  // namespace sluice::runtime
