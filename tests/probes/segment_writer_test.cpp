#include "sluice/probes/segment_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

std::unique_ptr<SegmentWriter> Write(const SegmentOptions& options) {
  return std::make_unique<SegmentWriter>(options, SmallGraph(), SmallKnobs(), Budget{2, 1_GiB});
}

fs::perms Permissions(const fs::path& path) {
  return fs::status(path).permissions();
}

TEST(SegmentWriter, MakesAFileForItsUserAloneAndRemovesIt) {
  const TempFolder temp;
  const std::string folder = temp.path() + "/sluice";
  std::string path;
  {
    const auto writer = Write(SegmentIn(folder));
    path = writer->path();
    EXPECT_THAT(path, MatchesRegex(folder + "/[0-9]+-[0-9]+-[0-9]+"));
    EXPECT_EQ(Permissions(folder), fs::perms::owner_all);
    EXPECT_EQ(Permissions(path), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(writer->warning(), "");
    EXPECT_EQ(fs::file_size(path), writer->bytes().size());
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(SegmentWriter, SeveralPipelinesOfOneProcessHaveAFileEach) {
  const TempFolder temp;
  const auto one = Write(SegmentIn(temp.path()));
  const auto two = Write(SegmentIn(temp.path()));
  EXPECT_NE(one->path(), two->path());
  EXPECT_NE(SegmentReader::Open(one->path())->identity().run_id,
            SegmentReader::Open(two->path())->identity().run_id);
}

TEST(SegmentWriter, GoesOnInPrivateMemoryWhereOthersMayEnterTheFolder) {
  const TempFolder temp;
  chmod(temp.path().c_str(), 0770);
  const auto writer = Write(SegmentIn(temp.path()));
  EXPECT_EQ(writer->path(), "");
  EXPECT_THAT(writer->warning(), HasSubstr("chmod 700"));
  EXPECT_TRUE(fs::is_empty(temp.path()));
  EXPECT_TRUE(SegmentReader::Over(writer->bytes()));
}

TEST(SegmentWriter, DoesNotFollowALinkInTheFoldersPlace) {
  const TempFolder temp;
  fs::create_directory(temp.path() + "/real");
  chmod((temp.path() + "/real").c_str(), 0700);
  fs::create_symlink("real", temp.path() + "/link");
  EXPECT_EQ(Write(SegmentIn(temp.path() + "/link"))->path(), "");
}

TEST(SegmentWriter, GoesOnInPrivateMemoryWithoutAFolder) {
  const auto writer = Write(SegmentIn("/proc/no/such/folder"));
  EXPECT_EQ(writer->path(), "");
  EXPECT_THAT(writer->warning(), HasSubstr("/proc/no/such/folder"));
}

TEST(SegmentWriter, AForkedChildLeavesTheFileAndTheStateAlone) {
  const TempFolder temp;
  auto writer = Write(SegmentIn(temp.path()));
  const std::string path = writer->path();
  const pid_t child = fork();
  if (child == 0) {
    writer.reset();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(fs::exists(path));
  EXPECT_FALSE(SegmentReader::Open(path)->Read(MonoTime{1}, Nanos{1}).finished);
}

TEST(SegmentWriter, AReaderThatIsStillThereSeesThatTheRunHasFinished) {
  const TempFolder temp;
  auto writer = Write(SegmentIn(temp.path()));
  const auto reader = *SegmentReader::Open(writer->path());
  writer.reset();
  EXPECT_TRUE(reader.Read(MonoTime{1}, Nanos{1}).finished);
}

TEST(SegmentWriter, WorkersBeyondTheLastSlotWorkUnseenAndAreWarnedOf) {
  const auto writer = Write(PrivateSegment());
  std::set<segment::WorkerSlot*> slots;
  for (std::uint32_t i = 0; i < segment::kMaxWorkers; ++i) slots.insert(&writer->AddWorker(OpId{1}));
  EXPECT_EQ(writer->warning(), "");
  slots.insert(&writer->AddWorker(OpId{1}));
  slots.insert(&writer->AddWorker(OpId{1}));
  EXPECT_EQ(slots.size(), segment::kMaxWorkers + 2);
  EXPECT_THAT(writer->warning(), HasSubstr("1024 workers"));
  EXPECT_EQ(SegmentReader::Over(writer->bytes())->Threads().size(), segment::kMaxWorkers);
}

TEST(SegmentWriter, NamesTooLongForTheirFieldAreCutAtACharacter) {
  Graph graph = SmallGraph();
  graph.ops[1].name = std::string(46, 'x') + "\u00E9\u00E9";
  const SegmentWriter writer(PrivateSegment(), graph, {}, {});
  const auto seen = SegmentReader::Over(writer.bytes())->Read(MonoTime{1}, Nanos{1});
  EXPECT_EQ(seen.graph->ops[1].name, std::string(46, 'x'));
}

TEST(SegmentWriterDeathTest, RefusesMoreOpsThanTheLayoutHolds) {
  Graph graph;
  graph.ops.resize(segment::kMaxOps + 1);
  EXPECT_DEATH(SegmentWriter(PrivateSegment(), graph, {}, {}), "broken requirement");
}

class EnvironmentTest : public testing::Test {
 protected:
  void TearDown() override {
    old_.empty() ? unsetenv("XDG_RUNTIME_DIR") : setenv("XDG_RUNTIME_DIR", old_.c_str(), 1);
    unsetenv("RANK");
  }
  const std::string old_ = std::getenv("XDG_RUNTIME_DIR") != nullptr ? std::getenv("XDG_RUNTIME_DIR") : "";
};

TEST_F(EnvironmentTest, TheDefaultFolderIsInTheRuntimeDirWhenThatIsUsable) {
  const TempFolder temp;
  const std::string fallback = "/dev/shm/sluice-" + std::to_string(geteuid());
  setenv("XDG_RUNTIME_DIR", temp.path().c_str(), 1);
  EXPECT_EQ(DefaultSegmentFolder(), temp.path() + "/sluice");
  setenv("XDG_RUNTIME_DIR", (temp.path() + "/missing").c_str(), 1);
  EXPECT_EQ(DefaultSegmentFolder(), fallback);
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(DefaultSegmentFolder(), fallback);
}

TEST_F(EnvironmentTest, TheRankOfADistributedRunIsSaid) {
  const auto alone = Write(PrivateSegment());
  EXPECT_EQ(SegmentReader::Over(alone->bytes())->identity().rank, std::nullopt);
  setenv("RANK", "3", 1);
  const auto third = Write(PrivateSegment());
  EXPECT_EQ(SegmentReader::Over(third->bytes())->identity().rank, 3);
}

}  // namespace
}  // namespace sluice::probes
