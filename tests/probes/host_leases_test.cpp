#include "sluice/probes/host_leases.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "probes/temp_folder.h"

namespace sluice::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CoreLease Lease(int pid, double wanted = 1) {
  return {.pid = pid,
          .program = "train",
          .wanted = wanted,
          .most = 4,
          .used = 0.5,
          .cpus = CpuSet::Range(0, 3) | CpuSet::Range(1000, 1001)};
}

TEST(CoreLease, ComesBackAsItWasWritten) {
  EXPECT_EQ(ParseLease(FormatLease(Lease(42))), Lease(42));
  CoreLease large = Lease(1);
  large.cpus.Add(5000);
  EXPECT_EQ(ParseLease(FormatLease(large)), Lease(1)) << "CPUs that no slot has room for are left out";
  CoreLease named = Lease(1);
  named.program = std::string(500, 'x');
  EXPECT_EQ(ParseLease(FormatLease(named))->program.size(), 87u);
}

TEST(CoreLease, OfBytesThatSayWhatCannotBeIsNone) {
  EXPECT_FALSE(ParseLease(""));
  EXPECT_FALSE(ParseLease(std::string(kLeaseBytes, '\0')));
  std::string torn = FormatLease(Lease(42));
  torn[100] = static_cast<char>(torn[100] ^ 1);
  EXPECT_FALSE(ParseLease(torn));
  for (const double cores : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    CoreLease odd = Lease(42);
    odd.wanted = cores;
    EXPECT_FALSE(ParseLease(FormatLease(odd))) << cores;
  }
  EXPECT_FALSE(ParseLease(FormatLease(Lease(0))));
}

class Leases : public testing::Test {
 protected:
  [[nodiscard]] HostLeases Join() const {
    auto joined = HostLeases::Join(folder_.path() + "/sluice");
    if (!joined) throw std::runtime_error(joined.error().message);
    return std::move(*joined);
  }
  TempFolder folder_;
};

TEST_F(Leases, AreSeenByOthersAndNotByThoseWhoHaveThem) {
  HostLeases first = Join(), second = Join();
  EXPECT_THAT(second.Others(), IsEmpty()) << "it has a slot, and has said nothing yet";
  ASSERT_TRUE(first.Renew(Lease(1)));
  ASSERT_TRUE(second.Renew(Lease(2)));
  EXPECT_THAT(first.Others(), ElementsAre(Lease(2)));
  EXPECT_THAT(second.Others(), ElementsAre(Lease(1)));
  ASSERT_TRUE(first.Renew(Lease(1, 3)));
  EXPECT_THAT(second.Others(), ElementsAre(Lease(1, 3)));
}

TEST_F(Leases, EndWithTheirProcessHoweverThatEnds) {
  HostLeases here = Join();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto there = HostLeases::Join(folder_.path() + "/sluice");
    const bool done = there && there->Renew(Lease(7));
    static_cast<void>(write(ready[1], done ? "y" : "n", 1));
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_THAT(here.Others(), ElementsAre(Lease(7)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_THAT(here.Others(), IsEmpty());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(Leases, OfOneThatIsGoneAreNotInheritedByTheNext) {
  HostLeases here = Join();
  {
    HostLeases gone = Join();
    ASSERT_TRUE(gone.Renew(Lease(2)));
  }
  const HostLeases next = Join();
  EXPECT_THAT(here.Others(), IsEmpty()) << "its slot is taken, and nothing has been said in it";
}

TEST_F(Leases, AreRefusedWithTheReasonWhereThereIsNoRoom) {
  std::vector<HostLeases> all;
  all.reserve(kLeaseSlots);
  for (int i = 0; i < kLeaseSlots; ++i) all.push_back(Join());
  EXPECT_THAT(HostLeases::Join(folder_.path() + "/sluice").error().message,
              HasSubstr("64 runs share this host already"));
  all.pop_back();
  EXPECT_TRUE(HostLeases::Join(folder_.path() + "/sluice"));
}

TEST_F(Leases, ThatSomebodyHasFilledWithNonsenseCountAsEmpty) {
  HostLeases here = Join(), other = Join();
  ASSERT_TRUE(other.Renew(Lease(2)));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::ofstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(kLeaseBytes * kLeaseSlots + 77, '\xff');
  }
  EXPECT_THAT(here.Others(), IsEmpty());
  ASSERT_TRUE(other.Renew(Lease(2)));
  EXPECT_THAT(here.Others(), ElementsAre(Lease(2)));
}

TEST_F(Leases, LeaveNoFileBehindWhenTheLastOneGoes) {
  {
    const HostLeases first = Join();
    {
      const HostLeases second = Join();
    }
    EXPECT_FALSE(std::filesystem::is_empty(folder_.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Leases, LeaveNoFileBehindWhenAllGoAtOnce) {
  constexpr int kRounds = 300;
  constexpr int kRuns = 3;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<HostLeases> all;
    all.reserve(kRuns);
    for (int i = 0; i < kRuns; ++i) all.push_back(Join());
    std::latch together(kRuns);
    std::vector<std::jthread> leaving;
    leaving.reserve(kRuns);
    for (HostLeases& leases : all) {
      leaving.emplace_back([&together, mine = std::move(leases)]() mutable {
        together.arrive_and_wait();
        const HostLeases gone = std::move(mine);
      });
    }
    leaving.clear();
    ASSERT_TRUE(std::filesystem::is_empty(folder_.path())) << "round " << round;
  }
}

TEST_F(Leases, MeetAgainWhereSomebodyHasRemovedTheFile) {
  HostLeases first = Join();
  std::filesystem::remove(folder_.path() + "/sluice.cores");
  HostLeases second = Join();
  ASSERT_TRUE(first.Renew(Lease(1)));
  ASSERT_TRUE(second.Renew(Lease(2)));
  EXPECT_THAT(first.Others(), ElementsAre(Lease(2)));
  EXPECT_THAT(second.Others(), ElementsAre(Lease(1)));
}

TEST_F(Leases, OfAFileThatOthersMayReadAreRefused) {
  std::ofstream(folder_.path() + "/sluice.cores") << "x";
  ASSERT_EQ(chmod((folder_.path() + "/sluice.cores").c_str(), 0644), 0);
  EXPECT_THAT(HostLeases::Join(folder_.path() + "/sluice").error().message,
              HasSubstr("not a file of this user alone"));
}

TEST_F(Leases, AreNotHadWhereTheFolderIsNotOurs) {
  EXPECT_FALSE(HostLeases::Join("/proc/sluice"));
}

}  // namespace
}  // namespace sluice::probes
