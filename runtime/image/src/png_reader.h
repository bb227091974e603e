// ReadPng: all pixels of a PNG as u8 rows without gaps. Errors name what libpng found wrong; truncated
// input and sizes that the bytes cannot hold are refused.
#pragma once
#include <cstddef>
#include <span>

#include "buffer.h"
#include "geometry.h"
#include "jpeg_reader.h"
#include "sluice/base/error.h"

namespace sluice::image {

// `slack` bytes past the pixels may be read by the caller.
[[nodiscard]] Result<Size> ReadPng(std::span<const std::byte> bytes, PixelLayout layout, std::size_t slack,
                                   Buffer& pixels);

}  // namespace sluice::image
