#include "sluice/evaluation/limit_words.h"

#include <gtest/gtest.h>

#include <set>

#include "evaluation/written_runs.h"

namespace sluice::evaluation::testing {
namespace {

TEST(LimitWords, NameTheOpWhereThereIsOne) {
  EXPECT_EQ(LimitWords(Limit::kOp, 1, Work()), "op work");
  EXPECT_EQ(LimitWords(Limit::kSerialOp, 0, Work()), "the serial op list");
  EXPECT_EQ(LimitWords(Limit::kContention, 1, Work()), "contention in work");
  EXPECT_EQ(LimitWords(Limit::kCores, 1, Work()), "the core budget");
  EXPECT_EQ(LimitWords(Limit::kOp, 7, Work()), "op ?");
}

TEST(LimitWords, HaveAKeyForEachLimit) {
  std::set<std::string_view> keys;
  for (int limit = 0; limit <= static_cast<int>(Limit::kContention); ++limit) {
    keys.insert(LimitKey(static_cast<Limit>(limit)));
  }
  EXPECT_EQ(keys.size(), 8u);
}

}  // namespace
}  // namespace sluice::evaluation::testing
