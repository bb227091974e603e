#include "sluice/formats/cifar10.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/scratch_folder.h"

namespace sluice::formats {
namespace {

using testing::HasSubstr;

// Record r has label r % 10 and counts its pixels up from r.
std::string Records(std::size_t count) {
  std::string bytes;
  for (std::size_t r = 0; r < count; ++r) {
    bytes += static_cast<char>(r % 10);
    for (std::size_t i = 0; i < kCifarPixels; ++i) bytes += static_cast<char>(r + i);
  }
  return bytes;
}

TEST(Cifar10, ListsTheTrainingFilesByNameAndTheTestFileApart) {
  const ScratchFolder folder;
  folder.Write("data_batch_2.bin", Records(3));
  folder.Write("data_batch_1.bin", Records(2));
  folder.Write("test_batch.bin", Records(1));
  folder.Write("batches.meta.txt", "airplane\n");
  const auto train = ListCifar10(folder.Path());
  ASSERT_TRUE(train.has_value()) << train.error().message;
  ASSERT_EQ(train->size(), 2U);
  EXPECT_EQ((*train)[0].path, folder.Path("data_batch_1.bin"));
  EXPECT_EQ((*train)[0].records, 2U);
  EXPECT_EQ((*train)[1].records, 3U);
  const auto test = ListCifar10(folder.Path(), true);
  ASSERT_TRUE(test.has_value()) << test.error().message;
  EXPECT_EQ(test->at(0).path, folder.Path("test_batch.bin"));
}

TEST(Cifar10, RefusesATruncatedFileByNameAndByte) {
  const ScratchFolder folder;
  folder.Write("data_batch_1.bin", Records(2));
  folder.Write("data_batch_3.bin", Records(2).substr(0, 6145));
  const auto listed = ListCifar10(folder.Path());
  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().message, folder.Path("data_batch_3.bin") +
                                        ": 6 145 bytes is not a whole number of 3073-byte records: the last "
                                        "one starts at byte 3 073 and is cut at byte 6 145");
}

TEST(Cifar10, RefusesAnEmptyFileAndAFolderWithoutFiles) {
  const ScratchFolder folder;
  EXPECT_THAT(ListCifar10(folder.Path()).error().message, HasSubstr("data_batch_*.bin"));
  EXPECT_THAT(ListCifar10(folder.Path("missing")).error().message, HasSubstr("No such file"));
  folder.Write("data_batch_1.bin", "");
  EXPECT_THAT(ListCifar10(folder.Path()).error().message, HasSubstr("data_batch_1.bin: is empty"));
}

TEST(Cifar10, CountsWholeRecordsAndNamesTheByteOfABadLabel) {
  std::string bytes = Records(4);
  EXPECT_EQ(CountCifarRecords(std::as_bytes(std::span(bytes))), 4U);
  bytes[2 * kCifarRecord] = 10;
  const auto counted = CountCifarRecords(std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(counted.has_value());
  EXPECT_EQ(counted.error().message, "byte 6 146: label 10 of record 2, CIFAR-10 has labels 0 to 9");
}

TEST(Cifar10, ReadsARunOfRecordsFromTheMiddle) {
  const ScratchFolder folder;
  folder.Write("data_batch_1.bin", Records(5));
  const auto files = ListCifar10(folder.Path());
  ASSERT_TRUE(files.has_value());
  std::vector<std::byte> read(2 * kCifarRecord);
  ASSERT_TRUE(ReadCifarRecords(files->at(0), 2, 2, read).has_value());
  const std::string all = Records(5);
  EXPECT_TRUE(std::ranges::equal(read, std::as_bytes(std::span(all)).subspan(2 * kCifarRecord, read.size())));
}

TEST(Cifar10, NamesFileAndByteWhenReadingMeetsABadLabelOrAShortenedFile) {
  const ScratchFolder folder;
  std::string bytes = Records(3);
  bytes[kCifarRecord] = '\xff';
  folder.Write("data_batch_1.bin", bytes);
  const CifarFile file{folder.Path("data_batch_1.bin"), 3};
  std::vector<std::byte> read(2 * kCifarRecord);
  EXPECT_EQ(ReadCifarRecords(file, 1, 2, read).error().message,
            file.path + ": byte 3 073: label 255 of record 1, CIFAR-10 has labels 0 to 9");
  std::filesystem::resize_file(file.path, 7000);
  const std::string shortened = ReadCifarRecords(file, 1, 2, read).error().message;
  EXPECT_THAT(shortened, HasSubstr(file.path + ": ends at byte 7 000, expected 9 219"));
  std::filesystem::remove(file.path);
  EXPECT_THAT(ReadCifarRecords(file, 1, 2, read).error().message, HasSubstr("No such file"));
}

TEST(Cifar10, TurnsPlanesIntoPixels) {
  std::vector<std::byte> record(kCifarRecord);
  for (std::size_t i = 0; i < kCifarPixels; ++i)
    record[1 + i] = static_cast<std::byte>(i / 1024 * 80 + i % 53);
  std::vector<std::byte> pixels(kCifarPixels);
  CifarToHwc(std::span(record).first<kCifarRecord>(), pixels);
  for (std::size_t pixel = 0; pixel < 1024; ++pixel)
    for (std::size_t channel = 0; channel < 3; ++channel)
      ASSERT_EQ(pixels[3 * pixel + channel], record[1 + channel * 1024 + pixel]) << pixel;
}

}  // namespace
}  // namespace sluice::formats
