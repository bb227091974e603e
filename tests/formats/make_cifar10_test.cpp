#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "formats/scratch_folder.h"
#include "formats/small_files_only.h"
#include "sluice/formats/cifar10.h"
#include "sluice/formats/make_data.h"

namespace sluice::formats {
namespace {

using testing::HasSubstr;

MakeDataOptions Small(const std::string& out, std::uint64_t count = 53) {
  return {.out = out, .count = count, .seed = 5, .classes = 10, .threads = 2, .progress = {}, .note = {}};
}

std::string ErrorOf(const MakeDataOptions& options) {
  const auto made = MakeCifar10(options);
  return made ? "" : made.error().message;
}

std::vector<int> Labels(const std::string& file) {
  std::vector<int> labels;
  for (std::size_t at = 0; at < file.size(); at += kCifarRecord) labels.push_back(file[at]);
  return labels;
}

TEST(MakeCifar10, SpreadsTheImagesOverFiveFilesAndMakesAFifthToTestWith) {
  const ScratchFolder folder;
  ASSERT_EQ(ErrorOf(Small(folder.Path("d"))), "");
  const auto train = ListCifar10(folder.Path("d"));
  ASSERT_TRUE(train.has_value()) << train.error().message;
  std::vector<std::size_t> records;
  for (const CifarFile& file : *train) records.push_back(file.records);
  EXPECT_EQ(records, (std::vector<std::size_t>{11, 11, 11, 10, 10}));
  EXPECT_EQ(ListCifar10(folder.Path("d"), true)->at(0).records, 10U);
  for (const auto& [name, bytes] : Contents(folder.Path("d"))) {
    if (!name.ends_with(".bin")) continue;
    EXPECT_TRUE(CountCifarRecords(std::as_bytes(std::span(bytes))).has_value()) << name;
  }
}

TEST(MakeCifar10, BalancesAndShufflesTheLabels) {
  const ScratchFolder folder;
  ASSERT_EQ(ErrorOf(Small(folder.Path("d"), 300)), "");
  std::array<int, 10> seen{};
  for (int i = 1; i <= 5; ++i) {
    auto files = Contents(folder.Path("d"));
    const auto labels = Labels(files["data_batch_" + std::to_string(i) + ".bin"]);
    EXPECT_FALSE(std::ranges::is_sorted(labels));
    for (const int label : labels) ++seen[static_cast<std::size_t>(label)];
  }
  for (const int count : seen) EXPECT_EQ(count, 30);
}

TEST(MakeCifar10, GivesTheSameBytesWithAnyNumberOfThreads) {
  const ScratchFolder folder;
  MakeDataOptions options = Small(folder.Path("one"));
  options.threads = 1;
  ASSERT_EQ(ErrorOf(options), "");
  options.out = folder.Path("many");
  options.threads = 7;
  ASSERT_EQ(ErrorOf(options), "");
  EXPECT_TRUE(Contents(folder.Path("one")) == Contents(folder.Path("many")));
}

// FNV-1a over all pixels. When this fails on purpose, the data version has to grow: folders that exist are
// taken to hold what their manifest says.
TEST(MakeCifar10, GivesTheBytesOfItsDataVersionWithEveryCompilerAndProcessor) {
  const ScratchFolder folder;
  ASSERT_EQ(ErrorOf(Small(folder.Path("d"))), "");
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& [name, bytes] : Contents(folder.Path("d"))) {
    if (!name.ends_with(".bin")) continue;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  EXPECT_EQ(hash, 3424860920225408808ULL);
}

// Pictures of a class resemble each other more than those of other classes: a mean colour tells most apart.
TEST(MakeCifar10, GivesClassesThatCanBeToldApart) {
  const ScratchFolder folder;
  ASSERT_EQ(ErrorOf(Small(folder.Path("d"), 500)), "");
  using Mean = std::array<double, 6>;  // colours of the upper and the lower half
  const auto mean_of = [](const std::string& file, std::size_t record) {
    Mean mean{};
    for (std::size_t i = 0; i < kCifarPixels; ++i)
      mean[i / 512] += static_cast<unsigned char>(file[record * kCifarRecord + 1 + i]) / 512.0;
    return mean;
  };
  auto files = Contents(folder.Path("d"));
  std::array<Mean, 10> centres{};
  const std::string& train = files["data_batch_1.bin"];
  const std::vector<int> labels = Labels(train);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const Mean mean = mean_of(train, r);
    const auto alike = static_cast<double>(std::ranges::count(labels, labels[r]));
    for (std::size_t k = 0; k < 6; ++k) centres[static_cast<std::size_t>(labels[r])][k] += mean[k] / alike;
  }
  const std::string& test = files["test_batch.bin"];
  const std::vector<int> expected = Labels(test);
  int right = 0;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    const Mean mean = mean_of(test, r);
    const auto distance = [&](const Mean& centre) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) sum += (centre[k] - mean[k]) * (centre[k] - mean[k]);
      return sum;
    };
    const auto nearest = std::ranges::min_element(centres, {}, distance);
    right += nearest - centres.begin() == expected[r];
  }
  EXPECT_GT(right, 50) << "of " << expected.size();
}

TEST(MakeCifar10, KeepsFinishedFilesWhenTheDiskIsFullAndGoesOnLater) {
  const ScratchFolder folder;
  const MakeDataOptions options = Small(folder.Path("d"));
  {
    const SmallFilesOnly full_disk(10 * kCifarRecord);
    EXPECT_THAT(ErrorOf(options), HasSubstr("data_batch_1.bin: cannot write: File too large"));
  }
  EXPECT_EQ(Contents(options.out).size(), 1U);
  ASSERT_EQ(ErrorOf(options), "");
  const auto whole = Contents(options.out);
  EXPECT_EQ(whole.size(), 7U);

  std::filesystem::resize_file(folder.Path("d/data_batch_2.bin"), 5000);
  std::string note;
  MakeDataOptions again = options;
  again.note = [&](const std::string& sentence) { note = sentence; };
  ASSERT_EQ(ErrorOf(again), "");
  EXPECT_TRUE(Contents(options.out) == whole);
  ASSERT_EQ(ErrorOf(again), "");
  EXPECT_THAT(note, HasSubstr("all 6 files are there already"));
}

TEST(MakeCifar10, RefusesFewerImagesThanFilesAndAFolderOfPhotographs) {
  const ScratchFolder folder;
  EXPECT_THAT(ErrorOf(Small(folder.Path("d"), 4)), HasSubstr("count: 4 images cannot fill 5 files"));
  folder.Write("p/000_foliage/1.jpg", "x");
  EXPECT_THAT(ErrorOf(Small(folder.Path("p"))), HasSubstr("holds something else already"));
}

}  // namespace
}  // namespace sluice::formats
