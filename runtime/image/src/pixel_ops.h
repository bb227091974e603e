// The transforms that move or rescale single pixels, unfused: plain functions over images. Those that
// change the form read `in` and write `out`; the others work in place.
#pragma once
#include <cstdint>

#include "geometry.h"
#include "image.h"
#include "sluice/image/transform.h"

namespace sluice::image {

// Pixels of the box that lie outside the image get `fill` (fill / 255 where the image is f32).
void CropPadded(const Image& in, const Box& box, std::uint8_t fill, Image& out);
void FlipHorizontally(Image& image);
void ConvertToFloat(const Image& in, Image& out);
// REQUIRES an f32 image and three means and deviations.
void NormalizePixels(const Normalize& normalize, Image& image);
void ConvertToChw(const Image& in, Image& out);
void ConvertToHwc(const Image& in, Image& out);

}  // namespace sluice::image
