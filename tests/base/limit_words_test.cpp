#include "sluice/base/limit_words.h"

#include <gtest/gtest.h>

#include <set>

namespace sluice {
namespace {

TEST(LimitWords, NameTheOpWhereThereIsOne) {
  EXPECT_EQ(LimitWords(Limit::kOp, "work"), "op work");
  EXPECT_EQ(LimitWords(Limit::kSerialOp, "list"), "the serial op list");
  EXPECT_EQ(LimitWords(Limit::kContention, "work"), "contention in work");
  EXPECT_EQ(LimitWords(Limit::kCores, "work"), "the core budget");
  EXPECT_EQ(LimitWords(Limit::kOp, ""), "op ?");
}

TEST(LimitWords, HaveANameForEachLimit) {
  std::set<std::string_view> names;
  for (int limit = 0; limit <= static_cast<int>(Limit::kContention); ++limit) {
    names.insert(LimitName(static_cast<Limit>(limit)));
  }
  EXPECT_EQ(names.size(), 8u);
}

}  // namespace
}  // namespace sluice
