#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "image/test_images.h"

namespace {
std::atomic<long> allocations{0};

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return Allocate(size, 16);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT

// Runs the same rows twice; the second time everything has its memory already.
long AllocationsOnceWarm(const std::vector<Transform>& list, const RowKind& kind, const TensorView& row,
                         bool fuse) {
  const auto program = RowProgram::Compile(list, kind, fuse);
  Scratch scratch;
  std::vector<float> out(*program->OutputBytes(row) / 4);
  long before = 0;
  for (int round = 0; round < 2; ++round) {
    before = allocations;
    for (std::uint64_t index = 0; index < 50; ++index) {
      EXPECT_TRUE(program->Run(row, {1, 2, index, 3}, scratch, std::as_writable_bytes(std::span(out))));
    }
  }
  return allocations - before;
}

const Normalize kNormalize{{0.5F, 0.5F, 0.5F}, {0.2F, 0.2F, 0.2F}};

TEST(SteadyState, DecodingAndResizingAllocatesNothing) {
  const Bytes jpeg = Jpeg(200, 300);
  for (const bool antialias : {false, true}) {
    RandomResizedCrop crop;
    crop.antialias = antialias;
    const std::vector<Transform> list{Decode{}, crop, RandomHorizontalFlip{}, kNormalize, HwcToChw{}};
    for (const bool fuse : {true, false}) {
      EXPECT_EQ(AllocationsOnceWarm(list, {true, std::nullopt, std::nullopt}, EncodedRow(jpeg), fuse), 0)
          << "antialias " << antialias << " fuse " << fuse;
    }
  }
}

TEST(SteadyState, CroppingRawPixelsAllocatesNothing) {
  const auto pixels = Texture(32, 32, 3);
  const RowKind kind{false, DType::kU8, Shape{{3, 32, 32}, 3}, true};
  const TensorView row{reinterpret_cast<const std::byte*>(pixels.data()), DType::kU8, *kind.shape};
  const std::vector<Transform> list{RandomCrop{32, 32, 4, 0}, RandomHorizontalFlip{}, kNormalize, HwcToChw{}};
  EXPECT_EQ(AllocationsOnceWarm(list, kind, row, true), 0);
  EXPECT_EQ(AllocationsOnceWarm(list, kind, row, false), 0);
}

}  // namespace
}  // namespace sluice::image
