#include "sluice/wrap/rank_environment.h"

#include <gtest/gtest.h>

#include <map>

namespace sluice::wrap {
namespace {

using Variables = std::map<std::string, std::string>;

std::string Read(const Variables& variables) {
  std::string text;
  for (const auto& statement : ReadRankEnvironment([&](const char* name) {
         const auto found = variables.find(name);
         return found == variables.end() ? nullptr : found->second.c_str();
       })) {
    text += (text.empty() ? "" : "; ") + (statement ? statement->launcher + ": " + statement->said
                                                    : "refused: " + statement.error().message);
  }
  return text;
}

TEST(ReadRankEnvironment, ReadsEachLauncher) {
  EXPECT_EQ(Read({}), "");
  EXPECT_EQ(Read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"}}),
            "torchrun: rank 1 of 2, local rank 0 of 1");
  EXPECT_EQ(Read({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "Open MPI: rank 3 of 4");
  EXPECT_EQ(Read({{"SLURM_LOCALID", "2"}}), "Slurm: local rank 2");
  EXPECT_EQ(Read({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), "PMI: rank 0 of 1");
}

TEST(ReadRankEnvironment, TwoLaunchersMayBothSpeak) {
  EXPECT_EQ(Read({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}),
            "torchrun: rank 5 of 8; Slurm: rank 1 of 2");
}

TEST(ReadRankEnvironment, RefusesNonsense) {
  EXPECT_EQ(Read({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), "refused: RANK=2 is not below WORLD_SIZE=2");
  EXPECT_EQ(Read({{"RANK", "-1"}}), "refused: RANK=-1 is less than 0");
  EXPECT_EQ(Read({{"RANK", "1.5"}}), "refused: RANK=1.5 is not a whole number");
  EXPECT_EQ(Read({{"LOCAL_RANK", ""}}), "refused: LOCAL_RANK= is not a whole number");
  EXPECT_EQ(Read({{"WORLD_SIZE", "0"}}), "refused: WORLD_SIZE=0 is less than 1");
  EXPECT_EQ(Read({{"LOCAL_RANK", "4"}, {"LOCAL_WORLD_SIZE", "4"}}),
            "refused: LOCAL_RANK=4 is not below LOCAL_WORLD_SIZE=4");
}

}  // namespace
}  // namespace sluice::wrap
