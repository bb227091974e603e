#include "sluice/exporters/failed_rows_list.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

TEST(FailedRowsList, HasAsManyCellsAsItsHeading) {
  EXPECT_EQ(FailedRowsHeading(), "row\tepoch\top\tfile\tbyte\terror\n");
  EXPECT_EQ(FailedRowLine({"decode", 7, 2, {"data/train/cat/3.jpg"}, "the file is truncated"}),
            "7\t2\tdecode\tdata/train/cat/3.jpg\t\tthe file is truncated\n");
  EXPECT_EQ(FailedRowLine({"check", 23, 0, {"data/data_batch_1.bin", 9219}, "no such label"}),
            "23\t0\tcheck\tdata/data_batch_1.bin\t9219\tno such label\n");
  EXPECT_EQ(FailedRowLine({"user", 1, 0, {}, "odd"}), "1\t0\tuser\t\t\todd\n");
}

// A name may hold any byte but a slash and NUL.
TEST(FailedRowsList, KeepsALinePerRowWhateverItsFileIsCalled) {
  EXPECT_EQ(FailedRowLine({"read", 1, 0, {"a\tb\nc\\d\x1b[31m\x7f\xff\r\xc3\xa4"}, "two\nlines"}),
            "1\t0\tread\ta\\tb\\nc\\\\d\\x1b[31m\\x7f\xff\\x0d\xc3\xa4\t\ttwo\\nlines\n");
}

TEST(FailedRowsList, SaysHowManyItDoesNotName) {
  EXPECT_EQ(UnlistedRowsLine(12), "# 12 more rows have failed\n");
}

}  // namespace
}  // namespace sluice::exporters
