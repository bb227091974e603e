// scenarios/README.md against the reader of scenario files: every key, and every default.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "description_text.h"
#include "scenario_keys.h"
#include "sluice/runtime/scenario.h"

namespace sluice::runtime {
namespace {

struct Row {
  std::string key;
  std::string default_text;
};

// "| `key` | type | unit | default | meaning |" into its cells, without the spaces around them.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    const auto last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

std::string WithoutQuotes(const std::string& code) {
  return code.substr(1, code.size() - 2);
}

// By section: the rows of its table.
std::map<std::string, std::vector<Row>> ReadmeTables() {
  std::map<std::string, std::vector<Row>> tables;
  std::ifstream readme(SLUICE_SCENARIOS "/README.md");
  std::string section;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("## ")) tables[section = line.substr(3)];
    if (section.empty() || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = Cells(line);
    EXPECT_EQ(cells.size(), 5u) << line;
    if (cells.size() == 5) tables[section].push_back({WithoutQuotes(cells[0]), cells[3]});
  }
  return tables;
}

// A whole file with a place for one more key of a section.
std::string FileWith(const std::string& section, const std::string& line) {
  static const std::string range = "[source]\nkind = 'range'\ncount = 9\n";
  static const std::string images = "[source]\nkind = 'image_folder'\npath = 'p'\n";
  const auto op = [&](std::string_view keys) { return fmt::format("{}[[op]]\n{}\n{}\n", range, keys, line); };
  static const std::map<std::string, std::string> required = {
      {"every op", "kind = 'batch'\nsize = 1"}, {"synthetic", "kind = 'synthetic'"},
      {"shuffle", "kind = 'shuffle'"},          {"batch", "kind = 'batch'\nsize = 1"},
      {"repeat", "kind = 'repeat'\ncount = 1"}, {"take", "kind = 'take'\ncount = 1"},
      {"skip", "kind = 'skip'\ncount = 1"}};
  if (section == "top level") return line + "\n" + range;
  if (section == "consumer") return range + "[consumer]\n" + line;
  if (section == "every source" || section == "range") return range + line;
  if (section == "cifar10") return "[source]\nkind = 'cifar10'\npath = 'p'\n" + line;
  if (section == "image_folder") return images + line;
  if (section == "contention")
    return fmt::format("{}[[op]]\nkind = 'synthetic'\ncontention = {{{}}}", range, line);
  if (section == "map") {
    const bool one_hot = line.starts_with("transforms");
    return fmt::format("{}[[op]]\nkind = 'map'\n{}\n{}", images,
                       one_hot ? "one_hot = 2" : "transforms = ['decode']", line);
  }
  if (required.contains(section)) return op(required.at(section));
  return fmt::format("{}[[op]]\nkind = 'map'\ntransforms = ['decode', {{name = '{}'{}{}}}]", images, section,
                     line.empty() ? "" : ", ", line);
}

TEST(ScenarioReadme, ListsExactlyTheKeysThatAreKnown) {
  const auto tables = ReadmeTables();
  std::set<std::string> sections;
  for (const auto& [section, keys] : ScenarioKeys()) {
    ASSERT_TRUE(tables.contains(section)) << "there is no heading '" << section << "'";
    std::vector<std::string> documented;
    for (const Row& row : tables.at(section)) documented.push_back(row.key);
    EXPECT_THAT(documented, testing::UnorderedElementsAreArray(keys)) << "in '" << section << "'";
    sections.insert(section);
  }
  for (const auto& [section, rows] : tables) {
    EXPECT_TRUE(rows.empty() || sections.contains(section)) << "no such section: '" << section << "'";
  }
}

TEST(ScenarioReadme, StatesTheDefaultsThatHold) {
  int checked = 0;
  for (const auto& [section, rows] : ReadmeTables()) {
    for (const auto& [key, default_text] : rows) {
      if (!default_text.starts_with('`')) continue;
      const std::string value = WithoutQuotes(default_text);
      const auto given = ParseScenario(FileWith(section, fmt::format("{} = {}", key, value)), section);
      const auto left_out = ParseScenario(FileWith(section, ""), section);
      ASSERT_TRUE(given.has_value()) << given.error().message;
      // A map needs one of its two keys: without transforms the file has one_hot.
      if (section == "map" && key == "transforms") continue;
      ASSERT_TRUE(left_out.has_value()) << left_out.error().message;
      EXPECT_EQ(Text(*given), Text(*left_out)) << section << ": " << key;
      ++checked;
    }
  }
  EXPECT_GE(checked, 35);
}

TEST(ScenarioReadme, ShowsAnExampleThatWorks) {
  std::ifstream readme(SLUICE_SCENARIOS "/README.md");
  std::string line, example;
  while (std::getline(readme, line) && !line.ends_with("<<'END'")) {
  }
  while (std::getline(readme, line) && line != "END") example += line + "\n";
  ASSERT_FALSE(example.empty());
  const auto scenario = ParseScenario(example, "README.md");
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
}

}  // namespace
}  // namespace sluice::runtime
