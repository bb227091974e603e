#include "sluice/exporters/write_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sluice::exporters {
namespace {

namespace fs = std::filesystem;

std::string Contents(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-write-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::ptrdiff_t Files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(WriteFileTest, ReplacesTheFileAndLeavesNothingBeside) {
  const std::string path = folder_ / "result.json";
  ASSERT_TRUE(WriteFile(path, "old, and longer").has_value());
  ASSERT_TRUE(WriteFile(path, "new").has_value());
  EXPECT_EQ(Contents(path), "new");
  EXPECT_EQ(Files(), 1);
}

TEST_F(WriteFileTest, NamesTheFileAndTheCauseOfAFailure) {
  const auto missing = WriteFile(folder_ / "no" / "result.json", "x");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, testing::EndsWith("no/result.json: No such file or directory"));
  const auto folder = WriteFile(folder_, "x");
  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(folder.error().message, testing::HasSubstr("Is a directory"));
}

TEST_F(WriteFileTest, KeepsTheOldFileWhenThereIsNoRoom) {
  const std::string path = folder_ / "result.json";
  ASSERT_TRUE(WriteFile(path, "old").has_value());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = WriteFile(path, std::string(100'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written.has_value());
  EXPECT_EQ(Contents(path), "old");
  EXPECT_EQ(Files(), 1);
}

TEST_F(WriteFileTest, WritesThroughALinkAndIntoADevice) {
  ASSERT_TRUE(WriteFile(folder_ / "target", "old").has_value());
  fs::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(WriteFile(folder_ / "link", "new").has_value());
  EXPECT_EQ(Contents(folder_ / "target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(WriteFile("/dev/null", "x").has_value());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace sluice::exporters
