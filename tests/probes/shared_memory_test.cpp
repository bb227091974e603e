#include "sluice/probes/shared_memory.h"

#include <gmock/gmock.h>

namespace sluice::probes {
namespace {

TEST(SharedMemory, IsThatOfTheFileSystem) {
  const auto memory = ReadSharedMemory("/dev/shm");
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_GT(memory->size, Bytes{0});
  EXPECT_GE(memory->free, Bytes{0});
  EXPECT_LE(memory->free, memory->size);
}

TEST(SharedMemory, NamesAFolderThatIsNotThere) {
  EXPECT_THAT(ReadSharedMemory("/nowhere/shm").error().message,
              testing::HasSubstr("/nowhere/shm: No such file"));
}

}  // namespace
}  // namespace sluice::probes
