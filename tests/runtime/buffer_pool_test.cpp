#include "sluice/runtime/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "sluice/base/rng.h"

namespace sluice::runtime {
namespace {

TEST(BufferPool, GivesAtLeastWhatIsAskedForWithAtMostAFourthOfSlack) {
  BufferPool pool(Bytes{0});
  for (std::size_t bytes = 1; bytes < 40'000'000; bytes += bytes / 7 + 1) {
    const BufferRef buffer = pool.Acquire(bytes);
    ASSERT_TRUE(buffer);
    ASSERT_GE(buffer->size(), bytes);
    ASSERT_EQ(Bytes{static_cast<std::int64_t>(buffer->size())}, BufferPool::Cost(bytes));
    if (bytes > 4096) {
      ASSERT_LE(buffer->size() - bytes, bytes / 4) << bytes;
    }
    std::memset(buffer->data(), 1, bytes);
  }
}

TEST(BufferPool, ReusesABufferOfTheSameSize) {
  BufferPool pool(1_MiB);
  BufferRef first = pool.Acquire(100'000);
  const std::byte* at = first->data();
  first.reset();
  EXPECT_EQ(pool.Acquire(99'000)->data(), at);
  EXPECT_EQ(pool.in_use(), Bytes{0});
  EXPECT_EQ(pool.mapped(), BufferPool::Cost(100'000));
}

// Node 0 is everywhere; what counts is that the pages are new ones.
TEST(BufferPool, ABufferThatIsToLieElsewhereGetsNewPagesAndOneThatIsNotKeepsThem) {
  BufferPool pool(1_MiB);
  const auto grants = [](std::span<const Bytes>, Bytes) { return true; };
  const auto content = [&](const Placement& place) {
    const BufferRef buffer = pool.Acquire(100'000, 0, {.op = 3, .place = place}, grants);
    const auto before = static_cast<int>(*buffer->data());
    *buffer->data() = std::byte{7};
    return before;
  };
  EXPECT_EQ(content({}), 0);
  EXPECT_EQ(content({}), 7);
  EXPECT_EQ(content(OnNode(0)), 0) << "it was bound anew";
  EXPECT_EQ(content(OnNode(0)), 7);
  const auto pages = pool.LookAtPages(4);
  if (!pages) GTEST_SKIP() << "move_pages is not allowed here";
  EXPECT_EQ((*pages)[3].seen, 1u) << "the page that was touched, of the op that asked";
  EXPECT_EQ((*pages)[3].at_home, 1u);
}

TEST(BufferPool, NoOpIsLeftOutOfALookForTheManyBuffersOfAnother) {
  BufferPool pool(Bytes{0});
  const auto grants = [](std::span<const Bytes>, Bytes) { return true; };
  std::vector<BufferRef> buffers;
  for (std::size_t i = 0; i < 100; ++i) {
    buffers.push_back(pool.Acquire(300'000, 0, {.op = i == 50 ? 1u : 0u, .place = OnNode(0)}, grants));
    std::memset(buffers.back()->data(), 1, 300'000);
  }
  for (int look = 0; look < 5; ++look) {
    const auto pages = pool.LookAtPages(2);
    if (!pages) GTEST_SKIP() << "move_pages is not allowed here";
    EXPECT_GT((*pages)[1].seen, 0u);
  }
}

TEST(BufferPool, HandsOutLessWhereMemoryIsSetAside) {
  BufferPool pool(1_MiB);
  pool.SetAside(900_KiB);
  EXPECT_EQ(pool.limit(), 124_KiB);
  EXPECT_FALSE(pool.Acquire(200'000));
  EXPECT_TRUE(pool.Acquire(100'000));
  BufferPool unlimited(Bytes{0});
  unlimited.SetAside(900_KiB);
  EXPECT_TRUE(unlimited.Acquire(2'000'000));
}

TEST(BufferPool, KeepsABufferUntilTheLastReferenceIsGone) {
  BufferPool pool(1_MiB);
  BufferRef first = pool.Acquire(5000);
  BufferRef second = first;
  first.reset();
  EXPECT_GT(pool.in_use(), Bytes{0});
  second = {};
  EXPECT_EQ(pool.in_use(), Bytes{0});
}

TEST(BufferPool, ForgetsTheBatchThatWasInABufferBefore) {
  BufferPool pool(1_MiB);
  pool.Acquire(5000)->batch.rows = 7;
  EXPECT_EQ(pool.Acquire(5000)->batch.rows, 0u);
}

TEST(BufferPool, RefusesWhatDoesNotFitAndKeepsTheReserveForOthers) {
  BufferPool pool(64_KiB);
  const BufferRef half = pool.Acquire(32'768);
  ASSERT_TRUE(half);
  EXPECT_FALSE(pool.Acquire(32'769));
  EXPECT_FALSE(pool.Acquire(20'480, 16_KiB));
  EXPECT_TRUE(pool.Acquire(20'480, 12_KiB));
}

TEST(BufferPool, GivesIdleMemoryBackWhenAnotherSizeNeedsTheRoom) {
  BufferPool pool(1_MiB);
  pool.Acquire(512 * 1024).reset();
  pool.Acquire(400 * 1024).reset();
  const BufferRef large = pool.Acquire(1024 * 1024);
  ASSERT_TRUE(large);
  EXPECT_EQ(pool.mapped(), 1_MiB);
}

TEST(BufferPool, TellsOnceThatThereIsRoomAfterItHasRefused) {
  int told = 0;
  BufferPool pool(8_KiB, [&told] { ++told; });
  BufferRef first = pool.Acquire(4096);
  BufferRef second = pool.Acquire(4096);
  first.reset();
  EXPECT_EQ(told, 0) << "nobody had been refused";
  first = pool.Acquire(4096);
  EXPECT_FALSE(pool.Acquire(1));
  EXPECT_FALSE(pool.Acquire(1));
  second.reset();
  EXPECT_EQ(told, 1);
  first.reset();
  EXPECT_EQ(told, 1);
}

TEST(BufferPool, RemembersThePeak) {
  BufferPool pool(1_MiB);
  BufferRef a = pool.Acquire(8192);
  BufferRef b = pool.Acquire(8192);
  a.reset();
  EXPECT_EQ(pool.in_use(), 8_KiB);
  EXPECT_EQ(pool.peak(), 16_KiB);
}

TEST(BufferPool, NeverExceedsItsLimitWhileManyThreadsTakeAndGive) {
  constexpr Bytes kLimit = 2_MiB;
  BufferPool pool(kLimit);
  std::atomic<bool> exceeded{false};
  const auto work = [&](std::uint64_t seed) {
    Rng rng(seed);
    std::vector<BufferRef> held;
    for (int i = 0; i < 3000; ++i) {
      if (BufferRef buffer = pool.Acquire(1 + rng.Below(200'000))) {
        buffer->data()[0] = std::byte{1};
        held.push_back(std::move(buffer));
      }
      if (rng.Below(3) == 0 || held.size() > 6) held.clear();
      if (pool.mapped() > kLimit || pool.in_use() > kLimit) exceeded = true;
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (std::uint64_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  threads.clear();
  EXPECT_FALSE(exceeded);
  EXPECT_LE(pool.peak(), kLimit);
  EXPECT_EQ(pool.in_use(), Bytes{0});
}

TEST(BufferPoolDeathTest, AbortsWhenABufferOutlivesItsPool) {
  EXPECT_DEATH(
      {
        BufferRef escaped;
        BufferPool pool(1_MiB);
        escaped = pool.Acquire(1);
      },
      "in_use_");
}

}  // namespace
}  // namespace sluice::runtime
