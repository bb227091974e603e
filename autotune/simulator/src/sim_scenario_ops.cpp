#include "sim_scenario_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sluice/toml/toml_times.h"

namespace sluice::simulator {
namespace {

using OpField = toml::Field<SimOp>;

template <auto member>
Result<void> Of(const toml::TomlValue& v, SimOp& op) {
  return v.To(op.*member);
}

template <auto member>
Result<void> Time(const toml::TomlValue& v, SimOp& op) {
  return toml::ReadDistribution(v, op.*member);
}

Result<void> ContentionOf(const toml::TomlValue& v, SimOp& op) {
  return toml::ReadContention(v, op.contention);
}

constexpr auto kEveryOp = std::to_array<OpField>({
    {"kind", nullptr, true},
    {"name", Of<&SimOp::name>},
    {"workers", Of<&SimOp::workers>},
    {"capacity", Of<&SimOp::capacity>},
    {"serial", Of<&SimOp::serial>},
    {"ordered", Of<&SimOp::ordered>},
    {"min_workers", Of<&SimOp::min_workers>},
    {"max_workers", Of<&SimOp::max_workers>},
    {"min_capacity", Of<&SimOp::min_capacity>},
    {"max_capacity", Of<&SimOp::max_capacity>},
    {"pin_workers", Of<&SimOp::pin_workers>},
    {"pin_capacity", Of<&SimOp::pin_capacity>},
    {"burn", Time<&SimOp::burn>},
    {"wait", Time<&SimOp::wait>},
    {"contention", ContentionOf},
    {"allocate", Of<&SimOp::allocate>},
    {"read", Of<&SimOp::read>},
    {"read_cv", Of<&SimOp::read_cv>},
    {"requests", Of<&SimOp::requests>},
    {"dear_share", Of<&SimOp::dear_share>},
    {"dear_factor", Of<&SimOp::dear_factor>},
    {"shards", Of<&SimOp::shards>},
    {"gil", Of<&SimOp::gil>},
    {"startup", Of<&SimOp::startup>},
});
constexpr auto kRange = std::to_array<OpField>({{"count", Of<&SimOp::count>, true}});
constexpr auto kSynthetic = std::to_array<OpField>({{"input", nullptr}});
constexpr auto kBatch = std::to_array<OpField>({
    {"size", Of<&SimOp::size>, true},
    {"drop_remainder", Of<&SimOp::drop_remainder>},
    {"input", nullptr},
});
constexpr auto kShuffle = std::to_array<OpField>({{"buffer_size", Of<&SimOp::buffer>}, {"input", nullptr}});
constexpr auto kJoin = std::to_array<OpField>({{"inputs", nullptr, true}});

std::span<const OpField> OwnFields(SimKind kind) {
  switch (kind) {
    case SimKind::kRange:
      return kRange;
    case SimKind::kSynthetic:
      return kSynthetic;
    case SimKind::kBatch:
      return kBatch;
    case SimKind::kZip:
    case SimKind::kConcat:
      return kJoin;
    case SimKind::kShuffle:
      return kShuffle;
  }
  return {};
}

constexpr std::array kKinds = {SimKind::kRange, SimKind::kSynthetic, SimKind::kBatch,
                               SimKind::kZip,   SimKind::kConcat,    SimKind::kShuffle};

Result<SimKind> ReadKind(const ::toml::table& table, const toml::Place& place, bool source) {
  std::vector<std::pair<std::string_view, SimKind>> words;
  for (const SimKind kind : kKinds) {
    if (!source || kind == SimKind::kRange) words.emplace_back(KindName(kind), kind);
  }
  const ::toml::node* node = table.get("kind");
  if (node == nullptr) return toml::FailAt(place, table, "the key 'kind' is missing");
  SimKind kind = SimKind::kRange;
  const auto read = toml::TomlValue(*node, place, "kind").ToOneOf(words, kind);
  if (!read) return std::unexpected(read.error());
  return kind;
}

Result<void> AddInput(const toml::TomlValue& v, const SimScenario& scenario, SimOp& op) {
  std::string name;
  if (auto read = v.To(name); !read) return read;
  const auto found = std::ranges::find(scenario.ops, name, &SimOp::name);
  if (found == scenario.ops.end()) {
    std::vector<std::string> known;
    known.reserve(scenario.ops.size());
    for (const SimOp& other : scenario.ops) known.push_back(other.name);
    return v.Fail(fmt::format("no op before this one is called '{}'{}", name.substr(0, 48),
                              toml::Suggest(name, known)));
  }
  op.inputs.push_back(static_cast<std::uint32_t>(found - scenario.ops.begin()));
  return {};
}

Result<void> ReadInputs(const ::toml::table& table, const toml::Place& place, const SimScenario& scenario,
                        SimOp& op) {
  if (const ::toml::node* one = table.get("input")) return AddInput({*one, place, "input"}, scenario, op);
  const ::toml::node* several = table.get("inputs");
  if (several == nullptr) return {};
  const toml::TomlValue value(*several, place, "inputs");
  if (!several->is_array()) return value.Refuse("an array of the names of ops");
  for (const ::toml::node& name : *several->as_array()) {
    if (auto added = AddInput({name, place, "inputs"}, scenario, op); !added) return added;
  }
  return {};
}

constexpr std::uint32_t kShuffleBuffer = 1024;  // as in a live scenario

std::string FreeName(std::string_view kind, const SimScenario& scenario) {
  std::string name(kind);
  for (int number = 2; std::ranges::count(scenario.ops, name, &SimOp::name) > 0; ++number) {
    name = fmt::format("{}{}", kind, number);
  }
  return name;
}

std::string Label(const ::toml::table& table, bool source, std::size_t number) {
  if (source) return "[source]";
  const auto name = table["name"].value<std::string_view>();
  return name && !name->empty() ? fmt::format("[[op]] {}", name->substr(0, 48))
                                : fmt::format("[[op]] number {}", number);
}

}  // namespace

Result<void> ReadSimOp(const ::toml::table& table, std::string_view file, bool source,
                       SimScenario& scenario) {
  const toml::Place place{file, Label(table, source, scenario.ops.size())};
  const auto kind = ReadKind(table, place, source);
  if (!kind) return std::unexpected(kind.error());
  SimOp op;
  op.kind = *kind;
  op.serial = *kind == SimKind::kShuffle;
  if (*kind == SimKind::kShuffle) op.buffer = kShuffleBuffer;
  std::vector<OpField> fields(kEveryOp.begin(), kEveryOp.end());
  const auto own = OwnFields(*kind);
  fields.insert(fields.end(), own.begin(), own.end());
  if (auto read = toml::ReadFields(table, place, fields, op); !read) return read;
  if (auto read = ReadInputs(table, place, scenario, op); !read) return read;
  if (op.name.empty()) op.name = FreeName(KindName(op.kind), scenario);
  scenario.ops.push_back(std::move(op));
  return {};
}

void AppendSimOpKeys(std::vector<SimSectionKeys>& sections) {
  sections.push_back({"every op", toml::KeysOf<SimOp>(kEveryOp)});
  for (const SimKind kind : kKinds) {
    sections.push_back({std::string(KindName(kind)), toml::KeysOf<SimOp>(OwnFields(kind))});
  }
}

}  // namespace sluice::simulator
