// RandomColorAdjust, unfused: brightness, contrast, saturation, hue, with torchvision's formulas and its
// rounding on u8 images (every step cuts to a whole grey level).
#pragma once
#include "image.h"
#include "sluice/base/rng.h"
#include "sluice/image/transform.h"

namespace sluice::image {

struct ColorFactors {
  double brightness = 1, contrast = 1, saturation = 1;
  double hue = 0;  // turns
};

// Always four draws, so that a row's later factors do not depend on which ranges are in use.
[[nodiscard]] ColorFactors DrawColorFactors(const RandomColorAdjust& adjust, Rng& rng);
// A factor of 1 and a hue of 0 leave the image as it is. REQUIRES an HWC image.
void AdjustColor(const ColorFactors& factors, Image& image);

}  // namespace sluice::image
