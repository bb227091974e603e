#include "geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

constexpr double kLongestSide = 1 << 30;

int RoundHalfEven(double x) {
  return static_cast<int>(std::nearbyint(x));
}

int Below(Rng& rng, int n) {
  return static_cast<int>(rng.Below(static_cast<std::uint64_t>(n)));
}

Box LargestCentralBox(const RandomResizedCrop& crop, Size image) {
  const double ratio = static_cast<double>(image.width) / image.height;
  Size size = image;
  if (ratio < crop.ratio_min) size.height = std::max(1, RoundHalfEven(image.width / crop.ratio_min));
  if (ratio > crop.ratio_max) size.width = std::max(1, RoundHalfEven(image.height * crop.ratio_max));
  return {(image.height - size.height) / 2, (image.width - size.width) / 2, size.height, size.width};
}

// torchvision pads the smaller half first, and rounds half a pixel to the even side when it cuts.
int CenterOffset(int image, int crop) {
  return crop > image ? -((crop - image) / 2) : RoundHalfEven((image - crop) / 2.0);
}

}  // namespace

bool IsTooLarge(Size size) {
  return static_cast<std::uint64_t>(size.height) * static_cast<std::uint64_t>(size.width) > kMaxPixels;
}

Box DrawResizedCrop(const RandomResizedCrop& crop, Size image, Rng& rng) {
  constexpr int kTries = 10;
  const double area = static_cast<double>(image.height) * image.width;
  const double log_min = std::log(crop.ratio_min), log_max = std::log(crop.ratio_max);
  for (int i = 0; i < kTries; ++i) {
    const double target = area * rng.Uniform(crop.scale_min, crop.scale_max);
    const double ratio = std::exp(rng.Uniform(log_min, log_max));
    const double width = std::nearbyint(std::sqrt(target * ratio));
    const double height = std::nearbyint(std::sqrt(target / ratio));
    if (width < 1 || height < 1 || width > image.width || height > image.height) continue;
    const Size size{static_cast<int>(height), static_cast<int>(width)};
    const int top = Below(rng, image.height - size.height + 1);
    const int left = Below(rng, image.width - size.width + 1);
    return {top, left, size.height, size.width};
  }
  return LargestCentralBox(crop, image);
}

Size ResizedSize(const Resize& resize, Size image) {
  if (resize.width != 0) return {resize.height, resize.width};
  const int shorter = std::min(image.height, image.width), longer = std::max(image.height, image.width);
  const auto scaled =
      static_cast<int>(std::min(kLongestSide, static_cast<double>(resize.height) * longer / shorter));
  return image.width <= image.height ? Size{scaled, resize.height} : Size{resize.height, scaled};
}

Box CenterBox(const CenterCrop& crop, Size image) {
  return {CenterOffset(image.height, crop.height), CenterOffset(image.width, crop.width), crop.height,
          crop.width};
}

bool FitsPadded(const RandomCrop& crop, Size image) {
  return crop.height <= image.height + 2 * crop.padding && crop.width <= image.width + 2 * crop.padding;
}

Box DrawRandomCrop(const RandomCrop& crop, Size image, Rng& rng) {
  const int top = Below(rng, image.height + 2 * crop.padding - crop.height + 1);
  const int left = Below(rng, image.width + 2 * crop.padding - crop.width + 1);
  return {top - crop.padding, left - crop.padding, crop.height, crop.width};
}

}  // namespace sluice::image
