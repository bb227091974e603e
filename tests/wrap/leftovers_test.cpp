#include "sluice/wrap/leftovers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "probes/canned_tree.h"

namespace sluice::wrap {
namespace {

using namespace std::chrono_literals;

// A machine with processes 10 and 11, which map what `maps` says; the time is the real one.
class LeftoversTest : public testing::Test {
 protected:
  LeftoversTest() {
    fake_.Write("/proc/self/ns/pid", "");
    struct stat info;
    stat((fake_.root() + "/proc/self/ns/pid").c_str(), &info);
    own_ = static_cast<std::uint64_t>(info.st_ino);
    std::filesystem::create_directories(fake_.root() + "/dev/shm");
  }
  void Live(int pid, int start, const std::string& maps = "") {
    fake_.Write(fmt::format("/proc/{}/stat", pid),
                fmt::format("{} (p) S 1 0 0 0 0 0 0 0 2 0 0 0 0 0 20 0 1 0 {} 0 10 0 0", pid, start));
    fake_.Write(fmt::format("/proc/{}/maps", pid), maps);
  }
  std::string Semaphore(int pid, int start, std::uint64_t where) {
    return Put(fmt::format("sem.mp-sluice-{}-{}-{}-abc_d-ef", where, pid, start));
  }
  std::string Semaphore(int pid, int start) { return Semaphore(pid, start, own_); }
  std::string Put(const std::string& name) {
    fake_.Write("/dev/shm/" + name, "x");
    return name;
  }
  bool IsThere(const std::string& name) { return std::filesystem::exists(fake_.root() + "/dev/shm/" + name); }
  Leftovers Remove(const Makers& makers = {}) { return RemoveLeftovers(makers, fake_.root()); }

  probes::CannedTree fake_;
  std::uint64_t own_ = 0;
};

constexpr std::string_view kMap = "7f00-7f01 rw-s 00000000 00:1a 5 ";

TEST_F(LeftoversTest, SemaphoresOfDeadProcessesGo) {
  Live(10, 500);
  const std::string dead = Semaphore(9, 400), reused = Semaphore(10, 400), living = Semaphore(10, 500);
  EXPECT_EQ(Remove().semaphores, 2);
  EXPECT_FALSE(IsThere(dead));
  EXPECT_FALSE(IsThere(reused)) << "the pid belongs to a later process";
  EXPECT_TRUE(IsThere(living));
}

TEST_F(LeftoversTest, WhatAChildStillMapsStays) {
  const std::string used = Semaphore(9, 400);
  Live(10, 500, fmt::format("{}/usr/lib/x.so\n{}/dev/shm/{}\n", kMap, kMap, used));
  EXPECT_EQ(Remove().semaphores, 0);
  EXPECT_TRUE(IsThere(used));
}

TEST_F(LeftoversTest, FilesOfOthersStay) {
  const std::string foreign = Semaphore(9, 400, own_ + 1);  // another container's
  for (const auto& name : {std::string("sem.mp-abcdefgh"), std::string("sem.mp-sluice-"),
                           fmt::format("sem.mp-sluice-{}-x-1-a", own_), std::string("psm_1234"),
                           std::string("torch_9_1_2"), std::string("torch_x_1_2"), foreign}) {
    Put(name);
    Remove({{8, 0}});
    EXPECT_TRUE(IsThere(name)) << name;
  }
  std::filesystem::create_directories(fake_.root() + "/dev/shm/torch_8_1_2");
  EXPECT_EQ(Remove({{8, 0}}).tensors, 0) << "a folder";
}

TEST_F(LeftoversTest, TensorsGoOnceTheWholeRunHasEnded) {
  const std::string tensor = Put("torch_9_77_1");
  const Makers run{{9, 400}, {10, 380}};
  Live(10, 380);
  EXPECT_EQ(Remove(run).tensors, 0) << "on its way to 10";
  fake_.Remove("/proc/10");
  Live(11, 900, fmt::format("{}/dev/shm/{} (deleted)\n", kMap, tensor));
  EXPECT_EQ(Remove(run).tensors, 0) << "mapped by another process";
  fake_.Remove("/proc/11");
  EXPECT_EQ(Remove(run).tensors, 1);
  EXPECT_FALSE(IsThere(tensor));
}

TEST_F(LeftoversTest, ATensorOlderThanItsMakerIsAnotherRuns) {
  const std::string tensor = Put("torch_9_77_1");
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(fake_.root() + "/dev/shm/" + tensor, now - 24h * 365 * 30);
  EXPECT_EQ(Remove({{9, 400}}).tensors, 0);
  EXPECT_TRUE(IsThere(tensor));
}

}  // namespace
}  // namespace sluice::wrap
