// ReadImageHeader: format and size of an encoded image, from its first bytes, without decoding. Pure and
// thread-safe; the bytes are not trusted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sluice/base/error.h"

namespace sluice::image {

enum class ImageFormat : std::uint8_t { kJpeg, kPng };

struct ImageHeader {
  ImageFormat format = ImageFormat::kJpeg;
  std::uint32_t width = 0, height = 0;
  friend bool operator==(const ImageHeader&, const ImageHeader&) = default;
};

// More pixels than this are refused before any memory is taken for them.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

// Finds the frame header of a JPEG or the IHDR of a PNG. Errors: neither format, cut off before the size,
// a size of zero, more than kMaxPixels.
[[nodiscard]] Result<ImageHeader> ReadImageHeader(std::span<const std::byte> bytes);

}  // namespace sluice::image
