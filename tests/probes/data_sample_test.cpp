#include "sluice/probes/data_sample.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

constexpr SampleBounds kPatient{.time = std::chrono::hours(1)};

TEST(DataSample, CountsAllFilesOfAFolderAndThoseBelow) {
  CannedTree tree;
  tree.Write("/a/1", "12345");
  tree.Write("/a/b/2", "123");
  tree.Write("/c", "1");
  const auto sample = SampleData(tree.root(), kPatient);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->files, 3);
  EXPECT_EQ(sample->bytes, Bytes{9});
  EXPECT_TRUE(sample->whole);
  EXPECT_EQ(sample->chosen.size(), 3);
  EXPECT_EQ(MiddleSize(*sample), Bytes{3});
}

TEST(DataSample, SaysThatThereIsMoreThanItLookedAt) {
  CannedTree tree;
  for (int i = 0; i < 20; ++i) tree.Write("/" + std::to_string(i), "x");
  const auto sample = SampleData(tree.root(), {.entries = 10, .chosen = 4, .time = std::chrono::hours(1)});
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->whole);
  EXPECT_EQ(sample->files, 10);
  EXPECT_EQ(sample->chosen.size(), 4);
}

TEST(DataSample, FollowsNoLinksToFolders) {
  CannedTree tree;
  tree.Write("/a/1", "12345");
  std::filesystem::create_directory_symlink(tree.root(), tree.root() + "/a/up");
  EXPECT_EQ(SampleData(tree.root(), kPatient)->files, 1);
}

TEST(DataSample, WhatAClosedFolderHoldsIsNotKnown) {
  CannedTree tree;
  tree.Write("/open/1", "12345");
  tree.Write("/closed/1", "12345");
  const std::filesystem::path closed = tree.root() + "/closed";
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const auto sample = SampleData(tree.root(), kPatient);
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
  if (geteuid() == 0) GTEST_SKIP() << "nothing is closed to root";
  EXPECT_EQ(sample->files, 1);
  EXPECT_EQ(sample->closed, 1);
  EXPECT_FALSE(sample->whole);
}

TEST(DataSample, AFileIsADataSetToo) {
  CannedTree tree;
  tree.Write("/set.tar", "123456");
  const auto sample = SampleData(tree.root() + "/set.tar", kPatient);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->files, 1);
  EXPECT_EQ(sample->bytes, Bytes{6});
}

TEST(DataSample, AFolderThatIsNotThereIsNamed) {
  const auto sample = SampleData("/no/such/folder");
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "/no/such/folder: No such file or directory");
}

TEST(DataSample, AnEmptyFolderIsEmpty) {
  const CannedTree tree;
  EXPECT_EQ(SampleData(tree.root())->files, 0);
  EXPECT_EQ(MiddleSize(*SampleData(tree.root())), Bytes{0});
}

}  // namespace
}  // namespace sluice::probes
