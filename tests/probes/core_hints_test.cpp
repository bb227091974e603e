#include "machine/core_hints.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::probes {
namespace {

std::string Environment(std::initializer_list<std::string> variables) {
  std::string text;
  for (const std::string& variable : variables) text += variable + '\0';
  return text;
}

TEST(CoreHints, AreWhatSlurmSaysOfTheTaskAndOfTheNode) {
  const auto hints = ParseCoreHints(
      Environment({"HOME=/", "SLURM_JOB_CPUS_PER_NODE=72(x2)", "SLURM_CPUS_PER_TASK=4", "EMPTY="}));
  ASSERT_EQ(hints.size(), 2);
  EXPECT_EQ(hints[0].cores, 4);
  EXPECT_EQ(hints[0].origin, "SLURM_CPUS_PER_TASK=4");
  EXPECT_EQ(hints[1].cores, 72);
  EXPECT_EQ(hints[1].origin, "SLURM_JOB_CPUS_PER_NODE=72(x2)");
}

TEST(CoreHints, OnNodesOfSeveralSizesItIsNotSaidWhichThisIs) {
  const auto hints = ParseCoreHints(Environment({"SLURM_JOB_CPUS_PER_NODE=72(x2),36"}));
  ASSERT_EQ(hints.size(), 1);
  EXPECT_FALSE(hints[0].cores);
  EXPECT_EQ(ParseCoreHints(Environment({"SLURM_JOB_CPUS_PER_NODE=36(x2),36"}))[0].cores, 36);
}

TEST(CoreHints, WhatSlurmWouldNotWriteIsNone) {
  for (const char* value : {"", "0", "-4", "4.5", "four", "99999999999999999999", "4 ", "+4"})
    EXPECT_TRUE(ParseCoreHints(Environment({std::string("SLURM_CPUS_PER_TASK=") + value})).empty()) << value;
  for (const char* value : {"", ",", "72(x2", "72(2)", "72(x)", "72(x2)x", "(x2)", "72;36", "72\x1b[2J"})
    EXPECT_TRUE(ParseCoreHints(Environment({std::string("SLURM_JOB_CPUS_PER_NODE=") + value})).empty())
        << value;
  EXPECT_TRUE(ParseCoreHints("").empty());
  EXPECT_TRUE(ParseCoreHints(Environment({"XSLURM_CPUS_PER_TASK=4", "SLURM_CPUS_PER_TASK"})).empty());
}

}  // namespace
}  // namespace sluice::probes
