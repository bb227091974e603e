#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <set>

#include "formats/scratch_folder.h"
#include "formats/small_files_only.h"
#include "sluice/formats/image_folder.h"
#include "sluice/formats/make_data.h"

namespace sluice::formats {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

MakeDataOptions Small(const std::string& out) {
  return {.out = out, .count = 8, .seed = 5, .classes = 4, .threads = 2, .progress = {}, .note = {}};
}

std::string ErrorOf(const MakeDataOptions& options) {
  const auto made = MakeImageFolder(options);
  return made ? "" : made.error().message;
}

struct Header {
  unsigned width;
  unsigned height;
  bool halved_colour;  // 4:2:0
};

Header ReadHeader(const std::string& bytes) {
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  const bool halved = jpeg.comp_info[0].h_samp_factor == 2 && jpeg.comp_info[0].v_samp_factor == 2 &&
                      jpeg.comp_info[1].h_samp_factor == 1 && jpeg.comp_info[1].v_samp_factor == 1;
  const Header header{jpeg.image_width, jpeg.image_height, halved};
  jpeg_destroy_decompress(&jpeg);
  return header;
}

TEST(MakeImageFolder, MakesPhotographsOfTheUsualShapeAndLength) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("d"));
  options.count = 20;
  options.classes = 10;
  ASSERT_EQ(ErrorOf(options), "");
  const auto listed = ListImageFolder(options.out);
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  EXPECT_EQ(listed->classes.size(), 10U);
  EXPECT_EQ(listed->files.size(), 20U);
  for (const auto& [name, bytes] : Contents(options.out)) {
    if (!name.ends_with(".jpg")) continue;
    EXPECT_GT(bytes.size(), 70'000U) << name;
    EXPECT_LT(bytes.size(), 110'000U) << name;
    const Header header = ReadHeader(bytes);
    EXPECT_TRUE(header.halved_colour);
    EXPECT_GE(std::max(header.width, header.height), 450U);
    EXPECT_LE(std::max(header.width, header.height), 550U);
    EXPECT_GE(std::min(header.width, header.height), 337U);
    EXPECT_LE(std::min(header.width, header.height), 413U);
  }
}

TEST(MakeImageFolder, GivesTheSameBytesWithAnyNumberOfThreadsAndOthersForAnotherSeed) {
  const ScratchFolder folder;
  std::vector<std::map<std::string, std::string>> made;
  for (const auto& [threads, seed] : {std::pair(1, 5), std::pair(5, 5), std::pair(2, 6)}) {
    MakeDataOptions options = Small(folder.Path(std::to_string(made.size())));
    options.threads = threads;
    options.seed = static_cast<std::uint64_t>(seed);
    ASSERT_EQ(ErrorOf(options), "");
    made.push_back(Contents(options.out));
  }
  EXPECT_TRUE(made[0] == made[1]);
  for (const auto& [name, bytes] : made[0]) EXPECT_NE(bytes, made[2][name]) << name;
}

TEST(MakeImageFolder, MakesOnlyWhatIsMissingAndSaysSo) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("d"));
  std::vector<std::string> notes;
  options.note = [&](const std::string& sentence) { notes.push_back(sentence); };
  ASSERT_EQ(ErrorOf(options), "");
  const auto first = Contents(options.out);
  EXPECT_THAT(notes, IsEmpty());
  ASSERT_EQ(ErrorOf(options), "");
  EXPECT_THAT(notes.back(), HasSubstr("all 8 images are there already"));

  const auto listed = ListImageFolder(options.out);
  ASSERT_TRUE(listed.has_value());
  std::filesystem::remove(listed->files[3].path);
  folder.Write("d/000_foliage/0000004.jpg.sluice-tmp", "left by a killed run");
  std::uint64_t begun_at = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t) { begun_at = begun_at == 0 ? done : begun_at; };
  ASSERT_EQ(ErrorOf(options), "");
  EXPECT_THAT(notes.back(), HasSubstr("7 of 8 images are there already"));
  EXPECT_GE(begun_at, 7U);
  EXPECT_TRUE(Contents(options.out) == first);
}

TEST(MakeImageFolder, ReportsProgressUpToTheEnd) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("d"));
  std::pair<std::uint64_t, std::uint64_t> last;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, last.first);
    last = {done, all};
  };
  ASSERT_EQ(ErrorOf(options), "");
  EXPECT_EQ(last, std::pair(std::uint64_t{8}, std::uint64_t{8}));
}

TEST(MakeImageFolder, RefusesAFolderThatHoldsSomethingElse) {
  const ScratchFolder folder;
  folder.Write("mine/thesis.txt", "years of work");
  EXPECT_THAT(ErrorOf(Small(folder.Path("mine"))), HasSubstr("holds something else already (thesis.txt)"));
  folder.Write("theirs/000_foliage/a.jpg", "x");
  EXPECT_THAT(ErrorOf(Small(folder.Path("theirs"))),
              HasSubstr("no sluice-data.json says where they are from"));
  folder.Write("file", "x");
  EXPECT_THAT(ErrorOf(Small(folder.Path("file"))), HasSubstr("is not a folder"));
  EXPECT_EQ(Contents(folder.Path()).size(), 3U);
}

TEST(MakeImageFolder, RefusesAFolderOfOtherSettingsAndNamesBoth) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("d"));
  ASSERT_EQ(ErrorOf(options), "");
  options.seed = 9;
  const std::string error = ErrorOf(options);
  EXPECT_THAT(error, HasSubstr("seed 5"));
  EXPECT_THAT(error, HasSubstr("seed 9"));
  folder.Write("d/sluice-data.json", "[not json");
  EXPECT_THAT(ErrorOf(options), HasSubstr("sluice-data.json: is not a manifest"));
}

TEST(MakeImageFolder, RefusesASecondRunIntoTheSameFolder) {
  const ScratchFolder folder;
  const int first = ::open(folder.Path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(first, LOCK_EX), 0);
  EXPECT_THAT(ErrorOf(Small(folder.Path())), HasSubstr("another run is making data here"));
  ::close(first);
  EXPECT_EQ(ErrorOf(Small(folder.Path())), "");
}

TEST(MakeImageFolder, NamesTheFileThatDidNotFitLeavesNoPartOfItAndGoesOnLater) {
  const ScratchFolder folder;
  const MakeDataOptions options = Small(folder.Path("d"));
  {
    const SmallFilesOnly full_disk(20'000);
    const std::string error = ErrorOf(options);
    EXPECT_THAT(error, HasSubstr(".jpg: cannot write: File too large; "));
    EXPECT_THAT(error, HasSubstr("run again"));
  }
  const auto left = Contents(options.out);
  EXPECT_EQ(left.size(), 1U);
  EXPECT_TRUE(left.contains("sluice-data.json"));
  ASSERT_EQ(ErrorOf(options), "");
  EXPECT_EQ(Contents(options.out).size(), 9U);
}

TEST(MakeImageFolder, RefusesImpossibleOptionsAndPlaces) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("d"));
  options.classes = 0;
  EXPECT_THAT(ErrorOf(options), HasSubstr("classes: 0 is out of range"));
  options.classes = 9;
  EXPECT_THAT(ErrorOf(options), HasSubstr("count: 8 images cannot fill 9 classes"));
  EXPECT_FALSE(std::filesystem::exists(options.out));
  EXPECT_THAT(ErrorOf(Small("/proc/nowhere/d")), HasSubstr("/proc/nowhere/d: cannot make the folder"));
  EXPECT_THAT(ErrorOf(Small("")), HasSubstr("--out"));
}

}  // namespace
}  // namespace sluice::formats
