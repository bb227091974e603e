#include "process_files.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::wrap {
namespace {

constexpr const char* kIo =
    "rchar: 3000\nwchar: 2000\nsyscr: 3\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: "
    "512\ncancelled_write_bytes: 7\n";

TEST(ParseProcessIo, TellsCallsAndStorageApart) {
  const auto io = ParseProcessIo(kIo);
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read, Bytes{3000});
  EXPECT_EQ(io->written, Bytes{2000});
  EXPECT_EQ(io->storage_read, Bytes{4096});
  EXPECT_EQ(io->storage_written, Bytes{512});
}

TEST(ParseProcessIo, WhatIsCutShortIsMissing) {
  EXPECT_FALSE(ParseProcessIo(""));
  EXPECT_FALSE(ParseProcessIo("rchar: 3000\nwchar: x\n"));
}

TEST(ParseProcessIo, NumbersThatNoMachineHasAreMissing) {
  for (const char* absurd : {"-1", "9223372036854775807"})
    EXPECT_FALSE(ParseProcessIo(std::string("rchar: 1\nwchar: 1\nread_bytes: 1\nwrite_bytes: ") + absurd));
}

TEST(HasVariable, ComparesWholeEntries) {
  using namespace std::string_view_literals;
  const auto environment = "A=1\0MARK=12\0B=MARK=1\0"sv;
  EXPECT_TRUE(HasVariable(environment, "MARK=12"));
  EXPECT_TRUE(HasVariable("MARK=12", "MARK=12"));
  EXPECT_FALSE(HasVariable(environment, "MARK=1"));
  EXPECT_FALSE(HasVariable("", "MARK=1"));
}

}  // namespace
}  // namespace sluice::wrap
