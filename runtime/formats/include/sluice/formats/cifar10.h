// CIFAR-10 binary files (data_batch_1..5.bin, test_batch.bin): records of 1 label byte and 3072 pixel
// bytes, planes R, G, B of 32x32, row-major. Source: https://www.cs.toronto.edu/~kriz/cifar.html
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::formats {

inline constexpr std::size_t kCifarSide = 32;
inline constexpr std::size_t kCifarPixels = 3 * kCifarSide * kCifarSide;
inline constexpr std::size_t kCifarRecord = 1 + kCifarPixels;

struct CifarFile {
  std::string path;
  std::size_t records = 0;
};

// The data_batch_*.bin of `folder`, sorted by name (with `test`: test_batch.bin). Refuses a folder without
// such files, and a file that is not a whole number of records, by name and byte.
[[nodiscard]] Result<std::vector<CifarFile>> ListCifar10(const std::string& folder, bool test = false);

// Checks the bytes of one file: whole records, labels 0..9. Errors name the byte. Pure (fuzzed).
[[nodiscard]] Result<std::size_t> CountCifarRecords(std::span<const std::byte> bytes);

// Reads records [first, first + count) of `file` into `out`. Errors name file and byte.
[[nodiscard]] Result<void> ReadCifarRecords(const CifarFile& file, std::size_t first, std::size_t count,
                                            std::span<std::byte> out);

// One record -> 32x32x3 u8 HWC pixels. REQUIRES out.size() == kCifarPixels.
void CifarToHwc(std::span<const std::byte, kCifarRecord> record, std::span<std::byte> out);

}  // namespace sluice::formats
