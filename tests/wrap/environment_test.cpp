#include "sluice/wrap/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace sluice::wrap {
namespace {

using testing::ElementsAre;

class EnvironmentTest : public testing::Test {
 protected:
  Lookup Now() {
    return [this](const char* name) { return now_.contains(name) ? now_[name].c_str() : nullptr; };
  }
  std::string After(const WrapEnvironment& wanted, const std::string& name) {
    for (const EnvironmentChange& change : PlanEnvironment(Now(), wanted)) {
      if (change.name == name) return change.after;
    }
    return "(as it was)";
  }
  std::map<std::string, std::string> now_;
};

TEST_F(EnvironmentTest, OurFolderComesFirstAndWhatWasThereKeepsItsMeaning) {
  const WrapEnvironment wanted{.inject = "/ours"};
  EXPECT_EQ(After(wanted, "PYTHONPATH"), "/ours");
  now_["PYTHONPATH"] = "";  // for Python as good as not set: a colon would add the working folder
  EXPECT_EQ(After(wanted, "PYTHONPATH"), "/ours");
  now_["PYTHONPATH"] = "/a:/b";
  EXPECT_EQ(After(wanted, "PYTHONPATH"), "/ours:/a:/b");
  now_["PYTHONPATH"] = ":/a";  // here the working folder is meant
  EXPECT_EQ(After(wanted, "PYTHONPATH"), "/ours::/a");
}

TEST_F(EnvironmentTest, OurFolderIsNotPutThereTwice) {
  now_["PYTHONPATH"] = "/ours:/a";
  EXPECT_EQ(After({.inject = "/ours"}, "PYTHONPATH"), "(as it was)");
  now_["PYTHONPATH"] = "/ours-too";
  EXPECT_EQ(After({.inject = "/ours"}, "PYTHONPATH"), "/ours:/ours-too");
}

TEST_F(EnvironmentTest, WhatTheUserNamesCountsMoreThanWhatWeFind) {
  now_ = {{"SLUICE_RUN_ID", "mine"}, {"SLUICE_LIBRARY", "/my.so"}, {"SLUICE_SEGMENT_FOLDER", "/mine"}};
  EXPECT_TRUE(
      PlanEnvironment(Now(), {.library = "/their.so", .run_id = "theirs", .segment_folder = "/theirs"})
          .empty());
}

TEST_F(EnvironmentTest, AnOptionCountsMoreThanTheEnvironment) {
  now_ = {{"SLUICE_REPRO", "free"}, {"SLUICE_ADVISE", "0"}};
  EXPECT_EQ(After({.repro = "strict"}, "SLUICE_REPRO"), "strict");
  EXPECT_EQ(After({.advise = true}, "SLUICE_ADVISE"), "1");
  EXPECT_EQ(After({}, "SLUICE_REPRO"), "(as it was)");
}

TEST_F(EnvironmentTest, ChangesReplaceAndEverythingElseStays) {
  const char* before[] = {"A=1", "PYTHONPATH=/a", "PYTHONPATHS=x", "B==", nullptr};
  const std::vector<EnvironmentChange> changes{{"PYTHONPATH", "/a", "/ours:/a"}};
  EXPECT_THAT(ApplyChanges(before, changes),
              ElementsAre("A=1", "PYTHONPATHS=x", "B==", "PYTHONPATH=/ours:/a"));
}

TEST_F(EnvironmentTest, IsSwitchedOffByAnythingButAClearNo) {
  for (const char* on : {"1", "yes", "true", " on "}) {
    now_["SLUICE_DISABLE"] = on;
    EXPECT_TRUE(IsDisabled(Now())) << on;
  }
  for (const char* off : {"", "0", " No ", "OFF", "false"}) {
    now_["SLUICE_DISABLE"] = off;
    EXPECT_FALSE(IsDisabled(Now())) << off;
  }
}

TEST_F(EnvironmentTest, AMarkCountsAsLongAsItsProcessLives) {
  EXPECT_FALSE(IsWrapped(Now()));
  now_[kMarkVariable] = MarkOf(getpid());
  EXPECT_TRUE(IsWrapped(Now()));
  now_[kMarkVariable] += "1";  // the same pid at another time
  EXPECT_FALSE(IsWrapped(Now()));
  for (const char* nonsense : {"", "-", "x-1", "-1-1", "999999999-5"}) {
    now_[kMarkVariable] = nonsense;
    EXPECT_FALSE(IsWrapped(Now())) << nonsense;
  }
}

}  // namespace
}  // namespace sluice::wrap
