#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "segment/segment_folder.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

namespace fs = std::filesystem;

// Leaves the segment of a process that is dead by now; returns its path.
std::string LeaveSegment(const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    new SegmentWriter(SegmentIn(folder), SmallGraph(), SmallKnobs(), Budget{});
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  for (const auto& name : ListSegments(folder)) {
    if (ParseSegmentName(name)->pid == child) return fmt::format("{}/{}", folder, name);
  }
  return "";
}

TEST(SegmentName, IsReadBack) {
  const auto name = ParseSegmentName(FormatSegmentName({42, 1234567890123, 7}));
  ASSERT_TRUE(name);
  EXPECT_EQ(name->pid, 42);
  EXPECT_EQ(name->start_ticks, 1234567890123u);
  EXPECT_EQ(name->n, 7u);
  for (const char* other : {"", "42", "42-1", "42-1-", "42-1-2x", "-42-1-2", "a-1-2", "0-1-2", "42--1-2"}) {
    EXPECT_FALSE(ParseSegmentName(other)) << other;
  }
}

TEST(FindSegments, ListsTheLivingAndTheDead) {
  const TempFolder temp;
  const std::string dead = LeaveSegment(temp.path());
  const SegmentWriter living(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  EXPECT_FALSE(fs::exists(dead)) << "a new segment takes away what the dead left";
  const std::string dead_again = LeaveSegment(temp.path());
  ASSERT_TRUE(fs::exists(dead_again));
  for (const auto& found : FindSegments(temp.path(), false)) {
    EXPECT_EQ(found.alive, found.path == living.path());
    ASSERT_TRUE(found.identity) << found.problem;
    EXPECT_EQ(found.identity->program, "test");
  }
  EXPECT_EQ(FindSegments(temp.path(), false).size(), 2u);
}

TEST(FindSegments, CleansAwayDeadSegmentsAndNothingElse) {
  const TempFolder temp;
  const SegmentWriter living(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  const std::string dead = LeaveSegment(temp.path());
  std::ofstream(temp.path() + "/notes.txt") << "mine";
  const auto found = FindSegments(temp.path(), true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, living.path());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(temp.path() + "/notes.txt"));
}

TEST(RemoveDeadSegments, ShowsEachBeforeItGoes) {
  const TempFolder temp;
  const SegmentWriter living(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  const std::string held = LeaveSegment(temp.path());
  const Fd holder(open(held.c_str(), O_RDONLY));
  ASSERT_EQ(flock(holder.get(), LOCK_SH), 0);
  const std::string dead = LeaveSegment(temp.path());
  int shown = 0;
  RemoveDeadSegments(temp.path(), [&](const SegmentReader& reader) {
    ++shown;
    EXPECT_EQ(ParseSegmentName(fs::path(dead).filename().string())->pid, reader.identity().pid);
    EXPECT_TRUE(fs::exists(dead)) << "who is cut off now must find it again";
  });
  EXPECT_EQ(shown, 1);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(held) && fs::exists(living.path()));
}

TEST(FindSegments, LeavesASegmentAloneWhoseLockIsHeldFromAnotherPidNamespace) {
  const TempFolder temp;
  const std::string dead = LeaveSegment(temp.path());
  const Fd holder(open(dead.c_str(), O_RDONLY));
  ASSERT_EQ(flock(holder.get(), LOCK_SH), 0);
  EXPECT_EQ(FindSegments(temp.path(), true).size(), 1u);
  EXPECT_TRUE(fs::exists(dead));
}

TEST(FindSegments, SaysWhatIsWrongWithAFileItCannotRead) {
  const TempFolder temp;
  const std::string name = FormatSegmentName({getpid(), 1, 0});
  std::ofstream(temp.path() + "/" + name) << "short";
  const auto found = FindSegments(temp.path(), false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].identity);
  EXPECT_THAT(found[0].problem, testing::HasSubstr("too short"));
  EXPECT_TRUE(FindSegments(temp.path() + "/missing", true).empty());
}

}  // namespace
}  // namespace sluice::probes
