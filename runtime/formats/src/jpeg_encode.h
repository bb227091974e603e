// Writes a JPEG of about the size that a camera's would have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::formats::internal {

struct ByteRange {
  std::size_t low;
  std::size_t high;
};

// Baseline, 4:2:0. Starts at quality 93 and moves it, as little as it takes, until the length falls into
// `length`; where no quality does, the nearest one. REQUIRES rgb.size() == width * height * 3.
[[nodiscard]] std::vector<std::byte> EncodeJpeg(std::span<const std::uint8_t> rgb, int width, int height,
                                                ByteRange length);

}  // namespace sluice::formats::internal
