// Transforms: what a map op may do to a row, as plain values. Conventions are torchvision's unless a
// comment says otherwise. An image is u8 or f32, HWC (height, width, 3 channels RGB) until HwcToChw; after
// that only RandomHorizontalFlip, ToFloat and Normalize may follow.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

namespace sluice::image {

// Encoded JPEG or PNG bytes -> u8 HWC RGB. Grey is widened, CMYK converted as Adobe writes it, alpha
// dropped, 16 bit cut to the high byte; EXIF orientation and colour profiles are ignored. A JPEG without
// its end-of-image marker counts as truncated.
struct Decode {};

// Crops a random box (area share in [scale_min, scale_max], log-uniform aspect ratio) and resizes it.
struct RandomResizedCrop {
  int height = 224, width = 224;
  double scale_min = 0.08, scale_max = 1.0;
  double ratio_min = 3.0 / 4, ratio_max = 4.0 / 3;
  bool antialias = false;
};
// width == 0: the shorter side becomes `height`, the ratio is kept.
struct Resize {
  int height = 256, width = 0;
  bool antialias = false;
};
// An image smaller than the box is padded with zeros, as torchvision does.
struct CenterCrop {
  int height = 224, width = 224;
};
// Pads each side by `padding` with `fill` (fill / 255 where the image is f32), then crops at a random place.
// A padded image smaller than the box is an error.
struct RandomCrop {
  int height = 32, width = 32;
  int padding = 0;
  std::uint8_t fill = 0;
};
struct RandomHorizontalFlip {
  double probability = 0.5;
};
// Brightness, contrast and saturation factors are drawn from [low, high], hue shifts (in turns, -0.5..0.5)
// too; applied in that order (MindSpore's RandomColorAdjust; torchvision shuffles the order).
struct RandomColorAdjust {
  double brightness[2] = {1, 1};
  double contrast[2] = {1, 1};
  double saturation[2] = {1, 1};
  double hue[2] = {0, 0};
};
// u8 -> f32 in 0..1 (x / 255); leaves f32 as it is.
struct ToFloat {};
// (x - mean) / std per channel, on f32; a u8 image is converted by ToFloat first.
struct Normalize {
  std::vector<float> mean;
  std::vector<float> std;
};
struct HwcToChw {};

using Transform = std::variant<Decode, RandomResizedCrop, Resize, CenterCrop, RandomCrop,
                               RandomHorizontalFlip, RandomColorAdjust, ToFloat, Normalize, HwcToChw>;

}  // namespace sluice::image
