// scenarios/sim/README.md against the reader, and the scenarios that are shipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "sim_scenario_keys.h"
#include "simulator/scenarios.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::simulator::testing {
namespace {

std::ifstream Readme() {
  return std::ifstream(SLUICE_SIM_SCENARIOS "/README.md");
}

// By section: the keys of its table.
std::map<std::string, std::vector<std::string>> DocumentedKeys() {
  std::map<std::string, std::vector<std::string>> keys;
  std::ifstream readme = Readme();
  std::string section;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    if (section.empty() || !line.starts_with("| `")) continue;
    keys[section].push_back(line.substr(3, line.find('`', 3) - 3));
    EXPECT_EQ(std::ranges::count(line, '|'), 6) << line;
  }
  return keys;
}

TEST(SimReadme, ListsExactlyTheKeysThatAreKnown) {
  auto documented = DocumentedKeys();
  for (const auto& [section, keys] : SimScenarioKeys()) {
    EXPECT_THAT(documented[section], ::testing::UnorderedElementsAreArray(keys)) << section;
    documented.erase(section);
  }
  EXPECT_TRUE(documented.empty()) << documented.begin()->first;
}

TEST(SimReadme, ShowsAnExampleThatWorks) {
  std::ifstream readme = Readme();
  std::string line, example;
  while (std::getline(readme, line) && line != "```toml") {
  }
  while (std::getline(readme, line) && line != "```") example += line + "\n";
  ASSERT_FALSE(example.empty());
  const auto scenario = ParseSimScenario(example, "README.md");
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
}

std::vector<std::filesystem::path> Shipped() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SIM_SCENARIOS)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  return paths;
}

TEST(ShippedSimScenarios, AllLoadRunAndHaveASummaryAndTheNameOfTheirFile) {
  ASSERT_GE(Shipped().size(), 20u);
  for (const auto& path : Shipped()) {
    const auto scenario = LoadSimScenario(path.string());
    ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
    EXPECT_EQ(scenario->name, path.stem());
    EXPECT_FALSE(scenario->summary.empty()) << path;
    SimPlant plant(*scenario);
    const Snapshot seen = RunFor(plant, 4s);
    EXPECT_GT(seen.consumer.items, 0u) << path;
    EXPECT_EQ(plant.Truth().ooms, 0) << path;
    for (const Optimum& optimum : Optima(*scenario)) {
      EXPECT_GT(optimum.rate.per_second, 0) << path;
      EXPECT_NE(optimum.limit, Limit::kUnknown) << path;
    }
  }
}

TEST(ShippedSimScenarios, AreInTheReadmesList) {
  std::stringstream text;
  text << Readme().rdbuf();
  for (const auto& path : Shipped()) {
    const std::string name = path.stem();
    if (name.starts_with("cedar_")) continue;
    EXPECT_NE(text.str().find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace sluice::simulator::testing
