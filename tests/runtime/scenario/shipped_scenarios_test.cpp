#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "sluice/runtime/scenario.h"

namespace sluice::runtime {
namespace {

std::vector<std::filesystem::path> Shipped() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SCENARIOS)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  return paths;
}

TEST(ShippedScenarios, AllLoadAndHaveASummaryAndTheNameOfTheirFile) {
  ASSERT_GE(Shipped().size(), 7u);
  for (const auto& path : Shipped()) {
    const auto scenario = LoadScenario(path.string());
    ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
    EXPECT_TRUE(Validate(scenario->pipeline)) << path;
    EXPECT_EQ(scenario->pipeline.name, path.stem());
    EXPECT_FALSE(scenario->summary.empty()) << path;
  }
}

TEST(ShippedScenarios, ImagenetStartsBadlySoThatTuningHasSomethingToDo) {
  const auto scenario = LoadScenario(SLUICE_SCENARIOS "/imagenet.toml");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  for (const OpSpec& op : scenario->pipeline.ops) {
    EXPECT_EQ(op.workers, 1) << op.name;
    EXPECT_EQ(op.capacity, 1) << op.name;
    EXPECT_FALSE(op.pin_workers || op.pin_capacity) << op.name;
  }
  EXPECT_EQ(scenario->consumer.step.mean, std::chrono::milliseconds(80));
  EXPECT_EQ(scenario->pipeline.epochs, 0u);
}

TEST(LoadScenario, NamesAFileThatCannotBeRead) {
  const auto missing = LoadScenario("no/such/file.toml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "no/such/file.toml: cannot be opened: No such file or directory");
  const auto folder = LoadScenario(SLUICE_SCENARIOS);
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().message.find("is it a folder?"), std::string::npos) << folder.error().message;
}

}  // namespace
}  // namespace sluice::runtime
