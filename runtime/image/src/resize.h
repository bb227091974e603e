// ResizeImage: torchvision's tensor resize (bilinear, half-pixel centres), unfused. u8 results are rounded
// half to even, as torchvision does.
#pragma once
#include "axis_filter.h"
#include "image.h"

namespace sluice::image {

struct ResizeScratch {
  AxisFilter rows, columns;
  Buffer narrowed;
};

// REQUIRES an HWC image and a size of at least one pixel.
void ResizeImage(const Image& in, Size size, bool antialias, ResizeScratch& scratch, Image& out);

}  // namespace sluice::image
