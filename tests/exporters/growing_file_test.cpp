#include "sluice/exporters/growing_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sluice::exporters {
namespace {

class GrowingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-grow-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

std::string ContentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_F(GrowingFileTest, HoldsWhatWasAppendedAtOnceAndReplacesWhatWasThere) {
  const std::string path = (folder_ / "list").string();
  std::ofstream(path) << "of another run, and longer";
  auto file = GrowingFile::Create(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(ContentOf(path), "");
  ASSERT_TRUE(file->Append("one\n"));
  EXPECT_EQ(ContentOf(path), "one\n");
  GrowingFile moved = std::move(*file);
  ASSERT_TRUE(moved.Append("two\n"));
  EXPECT_EQ(ContentOf(path), "one\ntwo\n");
  EXPECT_EQ(moved.path(), path);
}

TEST_F(GrowingFileTest, NamesAFileThatCannotBeMade) {
  const auto file = GrowingFile::Create((folder_ / "missing/list").string());
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, testing::HasSubstr("missing/list: No such file"));
}

// As on a disk that fills up in the middle of a line.
TEST_F(GrowingFileTest, KeepsWholeLinesWhereThereIsNoMoreRoom) {
  const std::string path = (folder_ / "list").string();
  auto file = GrowingFile::Create(path);
  ASSERT_TRUE(file && file->Append("a whole line\n"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit full = before;
  full.rlim_cur = 20;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  const auto written = file->Append("one that does not fit\n");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message,
              testing::AllOf(testing::HasSubstr(path), testing::HasSubstr("too large")));
  EXPECT_EQ(ContentOf(path), "a whole line\n");
  ASSERT_TRUE(file->Append("later\n"));
  EXPECT_EQ(ContentOf(path), "a whole line\nlater\n");
}

}  // namespace
}  // namespace sluice::exporters
