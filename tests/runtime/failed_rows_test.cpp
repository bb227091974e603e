#include "failed_rows.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sluice::runtime {
namespace {

RowOrigin Nowhere(std::uint64_t) {
  return {};
}

TEST(FailedRows, CountsEachRowOnceAsDifferentWhereverItIs) {
  FailedRows book(Nowhere);
  // At the borders of blocks, and at the far end of what an index can be.
  const std::vector<std::uint64_t> rows{0, 511, 512, 513, 1ULL << 40, UINT64_MAX};
  EXPECT_TRUE(book.Note("op", rows, 0, "bad"));
  EXPECT_FALSE(book.Note("op", rows, 1, "bad again"));
  EXPECT_EQ(book.failed(), 2 * rows.size());
  EXPECT_EQ(book.different(), rows.size());
  ASSERT_EQ(book.From(0).size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(book.From(i).front().row, rows[i]);
    EXPECT_EQ(book.From(i).front().error, "bad");
  }
}

TEST(FailedRows, ListsSoManyAndCountsTheRest) {
  FailedRows book(Nowhere);
  std::vector<std::uint64_t> rows(FailedRows::kListed + 7);
  std::iota(rows.begin(), rows.end(), 3);
  static_cast<void>(book.Note("op", rows, 0, "bad"));
  EXPECT_EQ(book.different(), rows.size());
  const auto listed = book.From(FailedRows::kListed - 1);
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].row, FailedRows::kListed + 2);
  EXPECT_TRUE(book.From(FailedRows::kListed).empty());
}

}  // namespace
}  // namespace sluice::runtime
