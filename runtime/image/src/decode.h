// DecodeImage: the whole image as u8 HWC RGB, unfused.
#pragma once
#include <cstddef>
#include <span>

#include "image.h"
#include "jpeg_reader.h"
#include "sluice/base/error.h"

namespace sluice::image {

[[nodiscard]] Result<void> DecodeImage(std::span<const std::byte> bytes, JpegReader& jpeg, Image& out);

}  // namespace sluice::image
