#include "sluice/simulator/sim_scenario_file.h"

#include <algorithm>
#include <array>

#include "sim_scenario_ops.h"
#include "sim_validate.h"
#include "sluice/toml/toml_file.h"
#include "sluice/toml/toml_times.h"

namespace sluice::simulator {
namespace {

using TopField = toml::Field<SimScenario>;

template <auto member>
Result<void> Top(const toml::TomlValue& v, SimScenario& s) {
  return v.To(s.*member);
}

constexpr auto kTop = std::to_array<TopField>({
    {"name", Top<&SimScenario::name>},
    {"summary", Top<&SimScenario::summary>},
    {"seed", Top<&SimScenario::seed>},
    {"epochs", Top<&SimScenario::epochs>},
    {"memory", Top<&SimScenario::memory>},
    {"cores", [](const toml::TomlValue& v, SimScenario& s) { return v.To(s.machine.cores); }},
    {"drain", Top<&SimScenario::drain>},
    {"pause", Top<&SimScenario::pause>},
    {"duration", Top<&SimScenario::duration>},
    {"source", nullptr, true},
    {"op", nullptr},
    {"consumer", nullptr},
    {"machine", nullptr},
    {"storage", nullptr},
    {"event", nullptr},
});

template <auto member>
Result<void> ConsumerTime(const toml::TomlValue& v, SimConsumer& consumer) {
  if (v.node().value<std::string_view>() == "none") return {};
  return toml::ReadDistribution(v, consumer.*member);
}

constexpr auto kConsumer = std::to_array<toml::Field<SimConsumer>>({
    {"step", ConsumerTime<&SimConsumer::step>},
    {"burn", ConsumerTime<&SimConsumer::burn>},
});

template <auto member>
Result<void> OfHost(const toml::TomlValue& v, SimHost& host) {
  return v.To(host.*member);
}

constexpr auto kMachine = std::to_array<toml::Field<SimHost>>({
    {"ranks", OfHost<&SimHost::ranks>},
    {"load", OfHost<&SimHost::load>},
    {"nodes", OfHost<&SimHost::nodes>},
    {"remote_penalty", OfHost<&SimHost::remote_penalty>},
    {"placement", OfHost<&SimHost::placement>},
    {"memory", OfHost<&SimHost::memory>},
    {"restart", OfHost<&SimHost::restart>},
    {"noise", OfHost<&SimHost::noise>},
    {"meter_noise", OfHost<&SimHost::meter_noise>},
});

constexpr auto kStorage = std::to_array<toml::Field<SimStorage>>({
    {"bandwidth", [](const toml::TomlValue& v, SimStorage& s) { return v.To(s.bandwidth); }},
    {"request_rate", [](const toml::TomlValue& v, SimStorage& s) { return v.To(s.request_rate); }},
    {"parallelism", [](const toml::TomlValue& v, SimStorage& s) { return v.To(s.parallelism); }},
});

template <auto member>
Result<void> OfEvent(const toml::TomlValue& v, SimEvent& event) {
  return v.To((event.*member).emplace());
}

constexpr auto kEvent = std::to_array<toml::Field<SimEvent>>({
    {"at", [](const toml::TomlValue& v, SimEvent& e) { return v.To(e.at); }, true},
    {"op", nullptr},
    {"cost", OfEvent<&SimEvent::cost>},
    {"cores", OfEvent<&SimEvent::cores>},
    {"neighbour", OfEvent<&SimEvent::neighbour>},
    {"step", OfEvent<&SimEvent::step>},
    {"memory", OfEvent<&SimEvent::memory>},
});

// Calls read(table) for the table `key`, where there is one.
template <typename Read>
Result<void> WithTable(const ::toml::table& root, const toml::Place& place, std::string_view key, Read read) {
  const ::toml::node* node = root.get(key);
  if (node == nullptr) return {};
  if (node->is_table()) return read(*node->as_table());
  return toml::FailAt(place, *node, std::string(key) + ": must be a table; write [" + std::string(key) + "]");
}

// The same for every table of the array `key`.
template <typename Read>
Result<void> WithTables(const ::toml::table& root, const toml::Place& place, std::string_view key,
                        Read read) {
  const ::toml::node* node = root.get(key);
  if (node == nullptr) return {};
  const std::string wrong =
      std::string(key) + ": must be an array of tables; write [[" + std::string(key) + "]]";
  if (!node->is_array()) return toml::FailAt(place, *node, wrong);
  for (const ::toml::node& element : *node->as_array()) {
    if (!element.is_table()) return toml::FailAt(place, element, wrong);
    if (auto done = read(*element.as_table()); !done) return done;
  }
  return {};
}

Result<void> ReadEvent(const ::toml::table& table, std::string_view file, SimScenario& scenario) {
  const toml::Place place{file, "[[event]]"};
  SimEvent event;
  if (auto read = toml::ReadFields(table, place, kEvent, event); !read) return read;
  if (const ::toml::node* node = table.get("op")) {
    const toml::TomlValue value(*node, place, "op");
    std::string name;
    if (auto read = value.To(name); !read) return read;
    const auto found = std::ranges::find(scenario.ops, name, &SimOp::name);
    std::vector<std::string> known;
    known.reserve(scenario.ops.size());
    for (const SimOp& op : scenario.ops) known.push_back(op.name);
    if (found == scenario.ops.end()) return value.Fail("there is no such op" + toml::Suggest(name, known));
    event.op = static_cast<std::uint32_t>(found - scenario.ops.begin());
  }
  scenario.events.push_back(event);
  return {};
}

Result<void> ReadParts(const ::toml::table& root, std::string_view file, SimScenario& s) {
  const toml::Place place{file, ""};
  auto read = WithTable(root, place, "source",
                        [&](const ::toml::table& table) { return ReadSimOp(table, file, true, s); });
  if (read) {
    read = WithTables(root, place, "op",
                      [&](const ::toml::table& table) { return ReadSimOp(table, file, false, s); });
  }
  const auto section = [&](std::string_view key, auto fields, auto& into) {
    if (!read) return;
    read = WithTable(root, place, key, [&](const ::toml::table& table) {
      return toml::ReadFields(table, toml::Place{file, "[" + std::string(key) + "]"}, fields, into);
    });
  };
  section("consumer", toml::Fields<SimConsumer>(kConsumer), s.consumer);
  section("machine", toml::Fields<SimHost>(kMachine), s.machine);
  section("storage", toml::Fields<SimStorage>(kStorage), s.storage);
  if (!read) return read;
  return WithTables(root, place, "event",
                    [&](const ::toml::table& table) { return ReadEvent(table, file, s); });
}

struct Found {
  const ::toml::node* node;
  std::string where;
};

Found PartOf(const ::toml::table& root, const SimScenario& s, const SimProblem& problem) {
  switch (problem.part) {
    case SimPart::kOp:
      if (problem.index == 0) return {root.get("source"), "[source]"};
      return {root["op"][problem.index - 1].node(), "[[op]] " + s.ops[problem.index].name.substr(0, 48)};
    case SimPart::kConsumer:
      return {root.get("consumer"), "[consumer]"};
    case SimPart::kMachine:
      return {root.get("machine"), "[machine]"};
    case SimPart::kStorage:
      return {root.get("storage"), "[storage]"};
    case SimPart::kEvent:
      return {root["event"][problem.index].node(), "[[event]]"};
    case SimPart::kTop:
      break;
  }
  return {&root, ""};
}

Result<void> RefuseProblem(const SimScenario& s, const ::toml::table& root, std::string_view file) {
  const auto problem = FindSimProblem(s);
  if (!problem) return {};
  const auto [part, where] = PartOf(root, s, *problem);
  const ::toml::table* table = part == nullptr ? nullptr : part->as_table();
  const ::toml::node* field = table == nullptr ? nullptr : table->get(problem->field);
  const ::toml::node& at = field != nullptr ? *field : part != nullptr ? *part : root;
  const std::string label = problem->field.empty() ? "" : problem->field + ": ";
  return toml::FailAt(toml::Place{file, where}, at, label + problem->message);
}

}  // namespace

Result<SimScenario> ParseSimScenario(std::string_view toml, std::string_view file) {
  const auto root = toml::ParseToml(toml, file);
  if (!root) return std::unexpected(root.error());
  SimScenario scenario;
  auto read = toml::ReadFields(*root, toml::Place{file, ""}, kTop, scenario);
  if (read) read = ReadParts(*root, file, scenario);
  if (read) read = RefuseProblem(scenario, *root, file);
  if (!read) return std::unexpected(read.error());
  return scenario;
}

Result<SimScenario> LoadSimScenario(const std::string& path) {
  const auto text = toml::ReadTomlFile(path);
  if (!text) return std::unexpected(text.error());
  return ParseSimScenario(*text, path);
}

std::vector<SimSectionKeys> SimScenarioKeys() {
  std::vector<SimSectionKeys> sections = {
      {"top level", toml::KeysOf<SimScenario>(kTop)}, {"consumer", toml::KeysOf<SimConsumer>(kConsumer)},
      {"machine", toml::KeysOf<SimHost>(kMachine)},   {"storage", toml::KeysOf<SimStorage>(kStorage)},
      {"event", toml::KeysOf<SimEvent>(kEvent)},      {"distribution", toml::DistributionKeys()},
      {"contention", toml::ContentionKeys()},
  };
  AppendSimOpKeys(sections);
  return sections;
}

}  // namespace sluice::simulator
