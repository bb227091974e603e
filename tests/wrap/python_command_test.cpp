#include "sluice/wrap/python_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "probes/canned_tree.h"

namespace sluice::wrap {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

class PythonCommandTest : public testing::Test {
 protected:
  PythonCommandTest() {
    Program("python3",
            "\x7f"
            "ELF");
    Program("env",
            "\x7f"
            "ELF");
  }
  void Program(const std::string& name, const std::string& text) {
    folder_.Write("/" + name, text);
    chmod((folder_.root() + "/" + name).c_str(), 0755);
  }
  std::optional<PythonCommand> Find(const Words& command) { return FindPython(command, folder_.root()); }
  std::string Forbids(Words command) {
    command.insert(command.begin(), "python3");
    const auto found = Find(command);
    return found ? found->forbids : "(no Python)";
  }
  probes::CannedTree folder_;
};

TEST_F(PythonCommandTest, FindsWhatKeepsUsOut) {
  EXPECT_EQ(Forbids({"-S", "train.py"}), "-S");
  EXPECT_EQ(Forbids({"-uE", "train.py"}), "-E");
  EXPECT_EQ(Forbids({"-X", "dev", "-I", "-m", "train"}), "-I");
}

TEST_F(PythonCommandTest, WhatBelongsToTheProgramOrIsAValueIsNoFlag) {
  EXPECT_EQ(Forbids({"train.py", "-S"}), "");
  EXPECT_EQ(Forbids({"-c", "pass", "-I"}), "");
  EXPECT_EQ(Forbids({"-m", "train", "-E"}), "");
  EXPECT_EQ(Forbids({"-W", "-S", "train.py"}), "");
  EXPECT_EQ(Forbids({"-WIgnore", "train.py"}), "");
  EXPECT_EQ(Forbids({"-uctext -S", "x"}), "");
  EXPECT_EQ(Forbids({"--version"}), "");
  EXPECT_EQ(Forbids({}), "");
}

TEST_F(PythonCommandTest, GivesTheFlagsBeforeTheProgram) {
  const auto found = Find({"python3", "-u", "-W", "ignore", "train.py", "-x"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->interpreter, folder_.root() + "/python3");
  EXPECT_THAT(found->flags, ElementsAre("-u", "-W", "ignore"));
}

TEST_F(PythonCommandTest, LooksThroughEnvAndScripts) {
  Program("torchrun", "#!/usr/bin/env python3\nimport torch\n");
  Program("isolated", "#!" + folder_.root() + "/python3 -I\n");
  for (const Words& command : {Words{"torchrun", "train.py"}, Words{"env", "-u", "A=1", "torchrun"},
                               Words{"env", "A=1", "python3", "train.py"}}) {
    const auto found = Find(command);
    ASSERT_TRUE(found) << command[0];
    EXPECT_EQ(found->interpreter, folder_.root() + "/python3");
    EXPECT_EQ(found->forbids, "");
  }
  EXPECT_EQ(Find({"isolated"})->forbids, "-I");
}

TEST_F(PythonCommandTest, WhatIsNoPythonIsNone) {
  Program("run.sh", "#!/bin/sh\npython3 train.py\n");
  Program("empty", "");
  for (const char* name : {"run.sh", "empty", "env", "nothing"}) EXPECT_FALSE(Find({name})) << name;
  EXPECT_FALSE(Find({}));
}

}  // namespace
}  // namespace sluice::wrap
