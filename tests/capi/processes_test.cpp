// Several processes write one segment: forked ones through the handle they inherit, others by its path.
#include "described.h"
#include "sluice/base/clock.h"
#include "sluice/probes/sampler.h"

namespace sluice::capi {
namespace {

constexpr int kProcesses = 4;
constexpr int kItems = 2000;

class Processes : public Described {
 protected:
  // In the child; its exit code says whether all went well.
  static bool Work(sluice_segment* segment) {
    std::uint32_t worker = 0;
    if (sluice_add_worker(segment, kFetch, &worker) != SLUICE_OK) return false;
    bool well = sluice_worker_begin(segment, worker, sluice_now()) == SLUICE_OK;
    const std::int64_t took = 5;
    for (int i = 0; i < kItems; ++i) {
      well &= sluice_worker_enter(segment, worker, SLUICE_BUSY, sluice_now()) == SLUICE_OK;
      well &= sluice_pop(segment, kTasks, 1, 0, sluice_now()) == SLUICE_OK;
      well &= sluice_part_done(segment, kCollate, &took, 1) == SLUICE_OK;
      well &= sluice_worker_done(segment, worker, 10, 100) == SLUICE_OK;
      well &= sluice_push(segment, kBatches, 1, 10, sluice_now()) == SLUICE_OK;
      well &= sluice_worker_enter(segment, worker, SLUICE_STARVED, sluice_now()) == SLUICE_OK;
    }
    return well;
  }
  template <typename Body>
  static pid_t Fork(Body body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    return child;
  }
  static void ExpectWell(pid_t child) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
};

TEST_F(Processes, NothingIsLostWhenForkedAndAttachedWorkersCountAtOnce) {
  sluice_push(get(), kTasks, kProcesses * kItems, 0, sluice_now());
  std::vector<pid_t> children;
  const std::string path = sluice_path(get());
  children.reserve(kProcesses);
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(Fork([&] {
      if (i % 2 == 0) return Work(get());
      sluice_segment* attached = nullptr;
      if (sluice_attach(path.c_str(), &attached) != SLUICE_OK) return false;
      const bool well = Work(attached);
      sluice_close(attached);
      return well;
    }));
  }
  for (const pid_t child : children) ExpectWell(child);
  const Snapshot seen = Read(sluice_now());
  EXPECT_EQ(seen.ops[kFetch].items, std::uint64_t{kProcesses * kItems});
  EXPECT_EQ(seen.ops[kFetch].workers, kProcesses);
  EXPECT_EQ(seen.ops[kCollate].items, std::uint64_t{kProcesses * kItems});
  EXPECT_EQ(seen.connectors[kTasks].popped, std::uint64_t{kProcesses * kItems});
  EXPECT_EQ(seen.connectors[kBatches].pushed, std::uint64_t{kProcesses * kItems});
  EXPECT_EQ(seen.connectors[kBatches].bytes, Bytes{10 * kProcesses * kItems});
}

TEST_F(Processes, AForkedChildThatClosesLeavesTheFileToItsParent) {
  ExpectWell(Fork([&] {
    segment_.reset();
    return true;
  }));
  EXPECT_EQ(access(sluice_path(get()), F_OK), 0);
  EXPECT_EQ(Read(sluice_now()).finished, false);
}

TEST_F(Processes, OnlyTheCreatorWritesTheLog) {
  EXPECT_EQ(sluice_log_event(get(), 5, "it began"), SLUICE_OK);
  EXPECT_EQ(probes::SegmentReader::Open(sluice_path(get()))->Events().front().text, "it began");
  ExpectWell(Fork([&] { return sluice_log_event(get(), 5, "no") == SLUICE_NOT_OWNER; }));
}

TEST_F(Processes, AttachingToNoSegmentIsAStatus) {
  sluice_segment* attached = nullptr;
  EXPECT_EQ(sluice_attach("/dev/null", &attached), SLUICE_UNREADABLE);
  EXPECT_EQ(sluice_attach((folder_ + "/missing").c_str(), &attached), SLUICE_UNREADABLE);
  EXPECT_EQ(attached, nullptr);
}

// Burns until the parent closes the pipe.
TEST_F(Processes, TheCpuTimeOfAWorkersProcessIsFound) {
  int gate[2], begun[2];
  ASSERT_EQ(pipe(gate) + pipe(begun), 0);
  std::uint32_t worker = 0;
  sluice_add_worker(get(), kFetch, &worker);
  const pid_t child = Fork([&] {
    close(gate[1]);
    sluice_worker_begin(get(), worker, sluice_now());
    sluice_worker_enter(get(), worker, SLUICE_BUSY, sluice_now());
    const Nanos until = ReadClock(CLOCK_PROCESS_CPUTIME_ID) + std::chrono::milliseconds(30);
    while (ReadClock(CLOCK_PROCESS_CPUTIME_ID) < until) {
    }
    char byte = 1;
    return write(begun[1], &byte, 1) == 1 && read(gate[0], &byte, 1) == 0;
  });
  char byte = 0;
  ASSERT_EQ(read(begun[0], &byte, 1), 1);
  probes::Sampler sampler(std::move(*probes::SegmentReader::Open(sluice_path(get()))), {});
  const Snapshot seen = sampler.Sample(MonoNow(), WallNow());
  EXPECT_GE(seen.ops[kFetch].on_cpu.value_or(Nanos(0)), std::chrono::milliseconds(25));
  EXPECT_GE(seen.process_cpu, std::chrono::milliseconds(30));
  close(gate[1]);
  ExpectWell(child);
}

}  // namespace
}  // namespace sluice::capi
