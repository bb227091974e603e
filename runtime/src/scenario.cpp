#include "sluice/runtime/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>

#include "scenario_parts.h"
#include "validate.h"

namespace sluice {
namespace {

// Each dot may open a table inside a table, and the parser goes as deep as they do: more than this is an
// attack on the stack, not a pipeline.
constexpr std::ptrdiff_t kMostDots = 8192;
constexpr std::size_t kLongestFile = 256 * 1024;
constexpr double kMostCores = 4096;

Result<void> Cores(const TomlValue& v, Scenario& s) {
  auto read = v.To(s.cores.emplace());
  if (read && !(*s.cores > 0 && *s.cores <= kMostCores)) {
    return v.Refuse(fmt::format("more than 0 and at most {}", kMostCores));
  }
  return read;
}

constexpr auto kTop = std::to_array<Field<Scenario>>({
    {"name", [](const TomlValue& v, Scenario& s) { return v.To(s.pipeline.name); }},
    {"summary", [](const TomlValue& v, Scenario& s) { return v.To(s.summary); }},
    {"seed", [](const TomlValue& v, Scenario& s) { return v.To(s.pipeline.seed); }},
    {"epochs", [](const TomlValue& v, Scenario& s) { return v.To(s.pipeline.epochs); }},
    {"memory", [](const TomlValue& v, Scenario& s) { return v.To(s.pipeline.memory); }},
    {"cores", Cores},
    {"source", nullptr, true},
    {"op", nullptr},
    {"consumer", nullptr},
});

Result<void> Step(const TomlValue& v, ConsumerSpec& consumer) {
  if (v.node().value<std::string_view>() == "none") return {};
  if (auto read = ReadDistribution(v, consumer.step); !read) return read;
  const auto wrong = CheckDistribution("step", consumer.step);
  return wrong ? Result<void>(v.Fail(wrong->message)) : Result<void>();
}

constexpr auto kConsumer = std::to_array<Field<ConsumerSpec>>({{"step", Step}});

Result<void> DistributionKind(const TomlValue& v, Distribution& d) {
  using Kind = Distribution::Kind;
  constexpr auto kWords = std::to_array<std::pair<std::string_view, Kind>>(
      {{"fixed", Kind::kFixed}, {"lognormal", Kind::kLognormal}, {"exponential", Kind::kExponential}});
  return v.ToOneOf(kWords, d.kind);
}

constexpr auto kDistribution = std::to_array<Field<Distribution>>({
    {"dist", DistributionKind, true},
    {"mean", [](const TomlValue& v, Distribution& d) { return v.To(d.mean); }, true},
    {"cv", [](const TomlValue& v, Distribution& d) { return v.To(d.cv); }},
});

Result<void> ReadSourceInto(Scenario& s, const toml::table& root, const Place& place) {
  const toml::node* node = root.get("source");
  if (!node->is_table()) return FailAt(place, *node, "source: must be a table; write [source]");
  auto source = ReadSource(*node->as_table(), place.file);
  if (!source) return std::unexpected(source.error());
  s.pipeline.ops.push_back(std::move(*source));
  return {};
}

Result<void> ReadOpsInto(Scenario& s, const toml::table& root, const Place& place) {
  const toml::node* node = root.get("op");
  if (node == nullptr) return {};
  if (!node->is_array()) return FailAt(place, *node, "op: must be an array of tables; write [[op]]");
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_table()) return FailAt(place, element, "op: must be an array of tables; write [[op]]");
    auto op = ReadOp(*element.as_table(), place.file, s.pipeline.ops.size());
    if (!op) return std::unexpected(op.error());
    s.pipeline.ops.push_back(std::move(*op));
  }
  return {};
}

Result<void> ReadConsumerInto(Scenario& s, const toml::table& root, const Place& place) {
  const toml::node* node = root.get("consumer");
  if (node == nullptr) return {};
  if (!node->is_table()) return FailAt(place, *node, "consumer: must be a table; write [consumer]");
  const Place inside{place.file, "[consumer]"};
  return ReadFields(*node->as_table(), inside, kConsumer, s.consumer);
}

void NameOps(PipelineDescription& pipeline) {
  std::vector<std::string> names = OpNames(pipeline);
  for (std::size_t i = 0; i < names.size(); ++i) pipeline.ops[i].name = std::move(names[i]);
}

const toml::node& NodeOf(const toml::table& root, const Problem& problem) {
  const toml::table* table = &root;
  if (problem.op == 0u) table = root["source"].as_table();
  if (problem.op > 0u) table = root["op"][*problem.op - 1].as_table();
  const toml::node* field = table->get(problem.finding.field);
  if (field == nullptr) return *table;
  const toml::array* array = problem.finding.transform ? field->as_array() : nullptr;
  return array == nullptr ? *field : *array->get(*problem.finding.transform);
}

Result<void> RefuseProblem(const Scenario& s, const toml::table& root, std::string_view file) {
  const auto problem = FindProblem(s.pipeline);
  if (!problem) return {};
  Place place{file, ""};
  if (problem->op == 0u) place.where = "[source]";
  if (problem->op > 0u) place.where = "[[op]] " + s.pipeline.ops[*problem->op].name.substr(0, 48);
  const auto& [field, message, transform] = problem->finding;
  return FailAt(place, NodeOf(root, *problem), field.empty() ? message : field + ": " + message);
}

Result<Scenario> ReadRoot(const toml::table& root, std::string_view file) {
  Scenario scenario;
  const Place place{file, ""};
  auto read = ReadFields(root, place, kTop, scenario);
  if (read) read = ReadSourceInto(scenario, root, place);
  if (read) read = ReadOpsInto(scenario, root, place);
  if (read) read = ReadConsumerInto(scenario, root, place);
  if (read) {
    NameOps(scenario.pipeline);
    read = RefuseProblem(scenario, root, file);
  }
  if (!read) return std::unexpected(read.error());
  return scenario;
}

Result<void> RefuseAttack(std::string_view toml, std::string_view file) {
  if (toml.size() > kLongestFile) {
    return Fail(fmt::format("{}: is longer than {} bytes, too long for a scenario", file, kLongestFile));
  }
  if (std::ranges::count(toml, '.') > kMostDots) {
    return Fail(fmt::format("{}: has more than {} dots, too many for a scenario", file, kMostDots));
  }
  return {};
}

}  // namespace

Result<void> ReadDistribution(const TomlValue& value, Distribution& out) {
  const toml::table* table = value.node().as_table();
  if (table == nullptr && !value.node().is_string()) {
    return value.Refuse("a duration with its unit, such as \"2ms\", or a table {dist = ..., mean = ...}");
  }
  if (table == nullptr) return value.To(out.mean);
  const Place inside{value.place().file, value.place().where + ": " + std::string(value.key())};
  auto read = ReadFields(*table, inside, kDistribution, out);
  if (read && out.kind == Distribution::Kind::kLognormal && !table->contains("cv")) {
    return FailAt(inside, *table, "the key 'cv' is missing; a lognormal distribution needs it");
  }
  return read;
}

std::vector<SectionKeys> ScenarioKeys() {
  std::vector<SectionKeys> sections = {
      {"top level", KeysOf<Scenario>(kTop)},
      {"consumer", KeysOf<ConsumerSpec>(kConsumer)},
      {"distribution", KeysOf<Distribution>(kDistribution)},
  };
  AppendOpKeys(sections);
  AppendTransformKeys(sections);
  return sections;
}

Result<Scenario> ParseScenario(std::string_view toml, std::string_view file) {
  if (auto refused = RefuseAttack(toml, file); !refused) return std::unexpected(refused.error());
  try {
    return ReadRoot(toml::parse(toml, file), file);
  } catch (const toml::parse_error& e) {
    const toml::source_position at = e.source().begin;
    return Fail(fmt::format("{}:{}: column {}: {}", file, at.line, at.column, e.description()));
  } catch (const std::exception& e) {
    return Fail(fmt::format("{}: cannot be read as TOML: {}", file, e.what()));
  }
}

Result<Scenario> LoadScenario(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string text(kLongestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Fail(fmt::format("{}: cannot be read (is it a folder?)", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return ParseScenario(text, path);
}

}  // namespace sluice
