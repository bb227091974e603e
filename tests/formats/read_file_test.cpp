#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "formats/scratch_folder.h"
#include "sluice/formats/image_folder.h"

namespace sluice::formats {
namespace {

using testing::HasSubstr;

bool Equal(std::span<const std::byte> bytes, const std::string& text) {
  return std::ranges::equal(bytes, std::as_bytes(std::span(text)));
}

TEST(ReadFile, ReadsTheWholeFileAndFitsTheVector) {
  const ScratchFolder folder;
  const std::string content(100'000, 'q');
  folder.Write("f", content);
  std::vector<std::byte> bytes(7);
  ASSERT_TRUE(ReadFile(folder.Path("f"), bytes).has_value());
  EXPECT_TRUE(Equal(bytes, content));
  EXPECT_EQ(FileSize(folder.Path("f")), Bytes{100'000});
}

TEST(ReadFile, ReadsIntoMemoryOfTheCallerUpToItsLastByte) {
  const ScratchFolder folder;
  folder.Write("f", "12345678");
  std::vector<std::byte> room(8);
  EXPECT_EQ(ReadFileInto(folder.Path("f"), room.data(), room.size()), 8U);
  EXPECT_TRUE(Equal(room, "12345678"));
  EXPECT_THAT(ReadFileInto(folder.Path("f"), room.data(), 7).error().message,
              HasSubstr("f: 8 bytes do not fit into the 7 bytes"));
}

TEST(ReadFile, TakesAnEmptyFile) {
  const ScratchFolder folder;
  folder.Write("f", "");
  EXPECT_EQ(ReadFileInto(folder.Path("f"), nullptr, 0), 0U);
}

TEST(ReadFile, NamesTheFileThatVanishedOrIsNone) {
  const ScratchFolder folder;
  std::vector<std::byte> bytes;
  EXPECT_THAT(ReadFile(folder.Path("gone"), bytes).error().message,
              HasSubstr("gone: cannot open: No such file"));
  EXPECT_THAT(FileSize(folder.Path("gone")).error().message, HasSubstr("gone"));
  EXPECT_THAT(ReadFile(folder.Path(), bytes).error().message, HasSubstr("is a folder"));
}

TEST(ReadFile, RefusesAPipeInsteadOfWaitingForever) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  std::vector<std::byte> bytes;
  EXPECT_THAT(ReadFile(folder.Path("pipe"), bytes).error().message, HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace sluice::formats
