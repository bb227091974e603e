#include "sluice/runtime/scenario.h"

#include <fmt/format.h>

#include <array>

#include "scenario_parts.h"
#include "sluice/toml/toml_file.h"
#include "sluice/toml/toml_times.h"
#include "validate.h"

namespace sluice::runtime {
namespace {

constexpr double kMostCores = 4096;

Result<void> Cores(const toml::TomlValue& v, Scenario& s) {
  auto read = v.To(s.cores.emplace());
  if (read && !(*s.cores > 0 && *s.cores <= kMostCores)) {
    return v.Refuse(fmt::format("more than 0 and at most {}", kMostCores));
  }
  return read;
}

constexpr auto kTop = std::to_array<toml::Field<Scenario>>({
    {"name", [](const toml::TomlValue& v, Scenario& s) { return v.To(s.pipeline.name); }},
    {"summary", [](const toml::TomlValue& v, Scenario& s) { return v.To(s.summary); }},
    {"seed", [](const toml::TomlValue& v, Scenario& s) { return v.To(s.pipeline.seed); }},
    {"epochs", [](const toml::TomlValue& v, Scenario& s) { return v.To(s.pipeline.epochs); }},
    {"memory", [](const toml::TomlValue& v, Scenario& s) { return v.To(s.pipeline.memory); }},
    {"cores", Cores},
    {"source", nullptr, true},
    {"op", nullptr},
    {"consumer", nullptr},
});

Result<void> Step(const toml::TomlValue& v, ConsumerSpec& consumer) {
  if (v.node().value<std::string_view>() == "none") return {};
  if (auto read = toml::ReadDistribution(v, consumer.step); !read) return read;
  const auto wrong = CheckDistribution("step", consumer.step);
  return wrong ? Result<void>(v.Fail(wrong->message)) : Result<void>();
}

constexpr auto kConsumer = std::to_array<toml::Field<ConsumerSpec>>({{"step", Step}});

Result<void> ReadSourceInto(Scenario& s, const ::toml::table& root, const toml::Place& place) {
  const ::toml::node* node = root.get("source");
  if (!node->is_table()) return toml::FailAt(place, *node, "source: must be a table; write [source]");
  auto source = ReadSource(*node->as_table(), place.file);
  if (!source) return std::unexpected(source.error());
  s.pipeline.ops.push_back(std::move(*source));
  return {};
}

Result<void> ReadOpsInto(Scenario& s, const ::toml::table& root, const toml::Place& place) {
  const ::toml::node* node = root.get("op");
  if (node == nullptr) return {};
  if (!node->is_array()) return toml::FailAt(place, *node, "op: must be an array of tables; write [[op]]");
  for (const ::toml::node& element : *node->as_array()) {
    if (!element.is_table())
      return toml::FailAt(place, element, "op: must be an array of tables; write [[op]]");
    auto op = ReadOp(*element.as_table(), place.file, s.pipeline.ops.size());
    if (!op) return std::unexpected(op.error());
    s.pipeline.ops.push_back(std::move(*op));
  }
  return {};
}

Result<void> ReadConsumerInto(Scenario& s, const ::toml::table& root, const toml::Place& place) {
  const ::toml::node* node = root.get("consumer");
  if (node == nullptr) return {};
  if (!node->is_table()) return toml::FailAt(place, *node, "consumer: must be a table; write [consumer]");
  const toml::Place inside{place.file, "[consumer]"};
  return toml::ReadFields(*node->as_table(), inside, kConsumer, s.consumer);
}

void NameOps(PipelineDescription& pipeline) {
  std::vector<std::string> names = OpNames(pipeline);
  for (std::size_t i = 0; i < names.size(); ++i) pipeline.ops[i].name = std::move(names[i]);
}

const ::toml::node& NodeOf(const ::toml::table& root, const Problem& problem) {
  const ::toml::table* table = &root;
  if (const auto op = problem.op) {
    table = *op == 0 ? root["source"].as_table() : root["op"][*op - 1].as_table();
  }
  const ::toml::node* field = table->get(problem.finding.field);
  if (field == nullptr) return *table;
  const auto transform = problem.finding.transform;
  const ::toml::array* array = field->as_array();
  return transform && array != nullptr ? *array->get(*transform) : *field;
}

Result<void> RefuseProblem(const Scenario& s, const ::toml::table& root, std::string_view file) {
  const auto problem = FindProblem(s.pipeline);
  if (!problem) return {};
  toml::Place place{file, ""};
  if (const auto op = problem->op) {
    place.where = *op == 0 ? "[source]" : "[[op]] " + s.pipeline.ops[*op].name.substr(0, 48);
  }
  const auto& [field, message, transform] = problem->finding;
  return toml::FailAt(place, NodeOf(root, *problem), field.empty() ? message : field + ": " + message);
}

Result<Scenario> ReadRoot(const ::toml::table& root, std::string_view file) {
  Scenario scenario;
  const toml::Place place{file, ""};
  auto read = toml::ReadFields(root, place, kTop, scenario);
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

}  // namespace

std::vector<SectionKeys> ScenarioKeys() {
  std::vector<SectionKeys> sections = {
      {"top level", toml::KeysOf<Scenario>(kTop)},
      {"consumer", toml::KeysOf<ConsumerSpec>(kConsumer)},
      {"distribution", toml::DistributionKeys()},
  };
  AppendOpKeys(sections);
  AppendTransformKeys(sections);
  return sections;
}

Result<Scenario> ParseScenario(std::string_view toml, std::string_view file) {
  const auto root = toml::ParseToml(toml, file);
  if (!root) return std::unexpected(root.error());
  return ReadRoot(*root, file);
}

Result<Scenario> LoadScenario(const std::string& path) {
  const auto text = toml::ReadTomlFile(path);
  if (!text) return std::unexpected(text.error());
  return ParseScenario(*text, path);
}

}  // namespace sluice::runtime
