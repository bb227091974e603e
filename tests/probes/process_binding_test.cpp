#include "sluice/probes/process_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "sluice/probes/binding.h"

namespace sluice::probes {
namespace {

using testing::HasSubstr;

// The CPUs of this test; other tests need them back.
class Binding : public testing::Test {
 protected:
  ~Binding() override { static_cast<void>(BindThread(0, before_)); }
  const CpuSet before_ = ReadAffinity(0).value();
  const CpuSet one_ = CpuSet::Range(before_.First(), before_.First());
};

TEST_F(Binding, TakesAThreadToItsCpusAndReadsThatBack) {
  ASSERT_TRUE(BindThread(0, one_));
  EXPECT_EQ(ReadAffinity(0).value(), one_);
}

TEST_F(Binding, FailsWithTheReasonWhereNoneOfTheCpusIsThere) {
  const auto bound = BindThread(0, CpuSet::Range(8000, 8001));
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message, HasSubstr("allows none of them"));
  EXPECT_EQ(ReadAffinity(0).value(), before_);
}

TEST_F(Binding, TakesAllThreadsOfAProcess) {
  std::latch started(3), over(1);
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      started.count_down();
      over.wait();
    });
  }
  started.wait();
  const ProcessBinding made = BindProcess(getpid(), one_);
  EXPECT_GE(made.threads, 4);
  EXPECT_EQ(made.bound, made.threads);
  EXPECT_EQ(made.refusal, "");
  static_cast<void>(BindProcess(getpid(), before_));
  over.count_down();
}

TEST_F(Binding, TellsOfAProcessThatIsGone) {
  EXPECT_EQ(BindProcess(INT32_MAX, one_).threads, 0);
  EXPECT_THAT(MovePages(INT32_MAX, OnNode(0), 0).error().message, HasSubstr("it has ended"));
}

// A node that no machine has, so that the refusal is real everywhere.
TEST_F(Binding, SaysThatMemoryCannotBeOnANodeThatIsNotThere) {
  constexpr std::size_t kSize = 1 << 16;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto bound = BindMemory(memory, kSize, {std::uint64_t{1} << 47, MemoryPolicy::kBind});
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message, HasSubstr("memory cannot be placed on node 47, memory bound"));
  munmap(memory, kSize);
}

TEST_F(Binding, SaysOnWhichNodeAPageIsOnceItWasTouched) {
  constexpr std::size_t kPage = 4096;
  auto* const memory = static_cast<char*>(
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memory[0] = 1;
  void* const pages[] = {memory, memory + kPage};
  const auto nodes = NodesOfPages(pages);
  if (!nodes) GTEST_SKIP() << "move_pages is not allowed here";
  EXPECT_GE((*nodes)[0], 0);
  EXPECT_EQ((*nodes)[1], -1);
  munmap(memory, 2 * kPage);
}

}  // namespace
}  // namespace sluice::probes
