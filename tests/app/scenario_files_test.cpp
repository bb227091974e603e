#include "sim/scenario_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sluice::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> Names(const Result<std::vector<std::string>>& files) {
  std::vector<std::string> names;
  if (!files) return {files.error().message};
  for (const std::string& file : *files) names.push_back(fs::path(file).stem());
  return names;
}

class ScenarioFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* info = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(::testing::TempDir()) / (std::string("scenario_files_") + info);
    fs::create_directories(folder_ / "empty");
    for (const char* name : {"one.toml", "two.toml", "notes.txt"}) std::ofstream(folder_ / name) << "x = 1\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(ScenarioFiles, AreAllTheShippedOnesWithoutAPattern) {
  const auto files = FindScenarioFiles("");
  EXPECT_GE(Names(files).size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(*files));
}

TEST_F(ScenarioFiles, AreFoundByPatternsOfShippedNames) {
  EXPECT_THAT(Names(FindScenarioFiles("noise_*,gil")),
              ElementsAre("noise_02", "noise_10", "noise_30", "gil"));
}

TEST_F(ScenarioFiles, AreFoundByFileFolderAndFilePatternEachOnce) {
  const std::string folder = folder_.string();
  EXPECT_THAT(Names(FindScenarioFiles(folder)), ElementsAre("one", "two"));
  EXPECT_THAT(Names(FindScenarioFiles(folder + "/t*.toml," + folder + "/two.toml")), ElementsAre("two"));
}

TEST_F(ScenarioFiles, ThatAreNotThereAreNamedWithTheNearest) {
  EXPECT_THAT(FindScenarioFiles("step_chnage").error().message, HasSubstr("did you mean 'step_change'?"));
  EXPECT_THAT(FindScenarioFiles("zzzzzz*").error().message,
              HasSubstr("'zzzzzz*'; sluice bench autotune --list"));
  EXPECT_THAT(FindScenarioFiles("no/such/*.toml").error().message, HasSubstr("no/such/*.toml: No such file"));
  EXPECT_THAT(FindScenarioFiles((folder_ / "empty").string()).error().message, HasSubstr("no *.toml file"));
}

TEST_F(ScenarioFiles, OfWhichOneIsWantedMustBeOne) {
  EXPECT_THAT(*FindScenarioFile("gil"), HasSubstr("scenarios/sim/gil.toml"));
  EXPECT_EQ(*FindScenarioFile((folder_ / "one.toml").string()), (folder_ / "one.toml").string());
  EXPECT_THAT(FindScenarioFile("noise_*").error().message, HasSubstr("fits 3 scenarios"));
  EXPECT_THAT(FindScenarioFile(folder_.string()).error().message, HasSubstr("is a folder"));
}

TEST_F(ScenarioFiles, AreRefusedWithFileAndLineWhereTheyAreBroken) {
  const auto loaded = LoadScenarioFiles({(folder_ / "one.toml").string()});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().message, HasSubstr("one.toml:1: "));
}

}  // namespace
}  // namespace sluice::app
