// Once warm, a running pipeline allocates nothing per row. Counts every malloc of the process, whoever calls
// it, so it is a program of its own. The exception is decoding: libjpeg-turbo allocates and frees a few small
// blocks per image; its calls are counted apart.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "runtime/pipelines.h"
#include "runtime/run.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLUICE_SANITIZED 1  // sanitizers bring a malloc of their own
#else
#define SLUICE_SANITIZED 0
#endif

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};
std::atomic<long> in_libjpeg{0};

}  // namespace

#if !SLUICE_SANITIZED
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT: glibc's names
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* memory, std::size_t size);            // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
}

namespace {
void Count(void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  Dl_info object{};
  const bool jpeg = dladdr(caller, &object) != 0 && std::strstr(object.dli_fname, "libjpeg") != nullptr;
  (jpeg ? in_libjpeg : allocations).fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// What operator new and all libraries end in.
extern "C" {
void* malloc(std::size_t size) noexcept {
  Count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {  // NOLINT
  Count(__builtin_return_address(0));
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {  // NOLINT
  Count(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  Count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {  // NOLINT
  Count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

namespace sluice::runtime {
namespace {

struct Counted {
  std::uint64_t rows = 0;
  long allocations = 0;
  long in_libjpeg = 0;
};

// Takes `epochs` epochs, the first half of them to warm up: every worker has met the largest image, every
// connector has been full. On a busy machine a worker may hardly run for a tenth of a second.
Counted CountWarm(PipelineDescription description, std::uint64_t epochs) {
  description.epochs = epochs;
  const auto pipeline = MustBuild(description);
  const Watchdog watchdog(*pipeline);
  Counted counted;
  Item item;
  pipeline->Start();
  for (;;) {
    const Pipeline::Got got = pipeline->Next(item);
    if (got == Pipeline::Got::kEnd) break;
    EXPECT_NE(got, Pipeline::Got::kError) << item.error()->message;
    if (item.epoch < epochs / 2) continue;
    if (!counting.exchange(true)) allocations = 0, in_libjpeg = 0;
    if (got == Pipeline::Got::kItem) counted.rows += item.Rows();
  }
  counting = false;
  counted.allocations = allocations;
  counted.in_libjpeg = in_libjpeg;
  return counted;
}

// One for every hundred rows would be a leak of speed; what remains are the control thread's own, once per
// second.
void ExpectNothingPerRow(const Counted& counted, const std::string& what) {
  EXPECT_GE(counted.rows, 1000U) << what;
  EXPECT_LE(counted.allocations, static_cast<long>(counted.rows) / 100)
      << what << ": " << counted.rows << " rows";
}

class SteadyState : public testing::Test {
 protected:
  void SetUp() override {
    if (SLUICE_SANITIZED) GTEST_SKIP() << "a sanitizer brings its own malloc";
  }
  const formats::ScratchFolder folder_;
};

TEST_F(SteadyState, TheCounterCounts) {
  counting = true;
  const auto first = std::make_unique<Counted>();
  const std::vector<int> second(17);
  counting = false;
  EXPECT_NE(static_cast<const void*>(first.get()), second.data());
  EXPECT_GE(allocations.exchange(0), 2);
}

TEST_F(SteadyState, RangeAndFunctionsAllocateNothingPerRow) {
  for (const int workers : {1, 4}) {
    const auto counted = CountWarm(Sized(RangeAndMaps(500), workers, 8), 32);
    ExpectNothingPerRow(counted, "workers " + std::to_string(workers));
  }
}

TEST_F(SteadyState, CifarAllocatesNothingPerRow) {
  WriteCifar(folder_, 500);
  for (const int workers : {1, 4}) {
    const auto counted = CountWarm(Sized(CifarTraining(folder_), workers, 8), 32);
    ExpectNothingPerRow(counted, "workers " + std::to_string(workers));
  }
}

TEST_F(SteadyState, JpegTrainingAllocatesNothingPerRowButWhatLibjpegDoes) {
  WriteJpegs(folder_, 60);
  for (const bool fuse : {true, false}) {
    for (const int workers : {1, 4}) {
      const auto counted = CountWarm(Sized(JpegTraining(folder_, fuse), workers, 8), 60);
      const std::string what = "workers " + std::to_string(workers) + (fuse ? " fused" : "");
      ExpectNothingPerRow(counted, what);
      EXPECT_LE(counted.in_libjpeg, static_cast<long>(counted.rows) * 20) << what;
    }
  }
}

TEST_F(SteadyState, RowsOfVaryingSizeAllocateNothingPerRowButWhatLibjpegDoes) {
  WriteJpegs(folder_, 60);
  ExpectNothingPerRow(CountWarm(Sized(JpegInSteps(folder_), 3, 8), 60), "steps");
}

}  // namespace
}  // namespace sluice::runtime
