#include "sluice/wrap/command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "probes/temp_folder.h"

namespace sluice::wrap {
namespace {

class FindProgramTest : public testing::Test {
 protected:
  std::string Make(const std::string& name, mode_t mode) {
    const std::filesystem::path path = folder_.path() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    chmod(path.c_str(), mode);
    return path;
  }
  probes::TempFolder folder_;
};

TEST_F(FindProgramTest, TakesTheFirstInPathThatMayBeRun) {
  Make("a/tool", 0644);
  Make("b/other", 0755);
  const std::string tool = Make("c/tool", 0755);
  const std::string path = folder_.path() + "/a:" + folder_.path() + "/b:" + folder_.path() + "/c";
  const auto found = FindProgram("tool", path);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, tool);
}

TEST_F(FindProgramTest, ANameWithASlashIsNotLookedUp) {
  const std::string tool = Make("bin/tool", 0755);
  EXPECT_TRUE(FindProgram(tool, ""));
  EXPECT_FALSE(FindProgram("bin/tool", folder_.path()));
}

TEST_F(FindProgramTest, SaysWhatTheShellSays) {
  Make("tool", 0644);
  EXPECT_EQ(FindProgram("tool", folder_.path()).error().message, "tool: Permission denied");
  EXPECT_EQ(FindProgram("nothing", folder_.path()).error().message, "nothing: command not found");
  EXPECT_EQ(FindProgram("", folder_.path()).error().message, ": command not found");
}

TEST(ExplainStart, Gives127WhereThereIsNothingAnd126WhereThereIs) {
  EXPECT_EQ(ExplainStart("tool", ENOENT).exit_code, 127);
  EXPECT_EQ(ExplainStart("./tool", ENOENT).exit_code, 127);
  EXPECT_EQ(ExplainStart("tool", EACCES).exit_code, 126);
  EXPECT_EQ(ExplainStart("tool", E2BIG).exit_code, 126);
  EXPECT_EQ(ExplainStart("/", EACCES).message, "/: Is a directory");
}

TEST(Become, LeavesThisProcessAsItWasWhereItFails) {
  EXPECT_EQ(Become({{"no-such-program"}, {"PATH=/nonexistent", "ONLY=theirs"}}), ENOENT);
  EXPECT_EQ(std::getenv("ONLY"), nullptr);
}

}  // namespace
}  // namespace sluice::wrap
