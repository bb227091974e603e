#include "sluice/base/cpu_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(CpuSet, ReadsWhatTheKernelWritesAndWritesItTheSame) {
  for (const char* text : {"0", "0-3", "0-3,8", "63-64", "1,3,5,127-255"}) {
    const auto cpus = ParseCpuList(text);
    ASSERT_TRUE(cpus) << text;
    EXPECT_EQ(CpuListText(*cpus), text);
  }
  EXPECT_EQ(CpuListText(ParseCpuList("3,1-2\n").value()), "1-3");
}

TEST(CpuSet, AnEmptyListIsANodeWithoutCpus) {
  EXPECT_EQ(ParseCpuList("\n"), CpuSet());
  EXPECT_EQ(CpuListText({}), "none");
  EXPECT_EQ(CpuSet().First(), -1);
}

TEST(CpuSet, RefusesWhatIsNoList) {
  for (const char* text : {"a", "0-", "-1", "3-1", "0,,1", "0-65536", "0-99999999999", "1 2", "0x3"})
    EXPECT_FALSE(ParseCpuList(text)) << text;
}

TEST(CpuSet, IsComparedByItsCpusNotByItsLength) {
  const CpuSet few = CpuSet::Range(0, 3), far = CpuSet::Range(100, 130);
  EXPECT_EQ((few | far) - far, few);
  EXPECT_TRUE((few & far).empty());
  EXPECT_TRUE(few.Within(few | far));
  EXPECT_FALSE(far.Meets(few));
  EXPECT_EQ((few | far).Count(), 35);
  EXPECT_EQ(far.First(), 100);
  EXPECT_THAT(few.Cpus(), testing::ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace sluice
