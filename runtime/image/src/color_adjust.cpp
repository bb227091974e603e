#include "color_adjust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sluice::image {
namespace {

using Rgb = std::array<float, 3>;

template <typename T>
constexpr float kWhite = sizeof(T) == 1 ? 255.0F : 1.0F;

template <typename T>
T Cut(float value) {  // towards zero, as a cast to u8
  return static_cast<T>(std::clamp(value, 0.0F, kWhite<T>));
}

template <typename T>
float Grey(const T* pixel) {
  const float grey = 0.2989F * static_cast<float>(pixel[0]) + 0.587F * static_cast<float>(pixel[1]) +
                     0.114F * static_cast<float>(pixel[2]);
  return static_cast<float>(static_cast<T>(grey));
}

template <typename T>
void Blend(T* pixel, float other, double factor) {
  const auto share = static_cast<float>(factor), rest = static_cast<float>(1.0 - factor);
  for (int c = 0; c < kChannels; ++c) {
    pixel[c] = Cut<T>(share * static_cast<float>(pixel[c]) + rest * other);
  }
}

template <typename T>
float MeanGrey(const T* pixels, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(Grey(pixels + i * kChannels));
  return static_cast<float>(sum / static_cast<double>(count));
}

Rgb ToHsv(const Rgb& rgb) {
  const auto [r, g, b] = rgb;
  const float value = std::max({r, g, b}), range = value - std::min({r, g, b});
  if (range == 0) return {0, 0, value};
  const float rc = (value - r) / range, gc = (value - g) / range, bc = (value - b) / range;
  const float sixth = value == r ? bc - gc : value == g ? 2.0F + rc - bc : 4.0F + gc - rc;
  return {std::fmod(sixth / 6.0F + 1.0F, 1.0F), range / value, value};
}

Rgb ToRgb(const Rgb& hsv) {
  const auto [h, s, v] = hsv;
  const float sixth = std::floor(h * 6.0F), f = h * 6.0F - sixth;
  const float p = std::clamp(v * (1 - s), 0.0F, 1.0F);
  const float q = std::clamp(v * (1 - s * f), 0.0F, 1.0F);
  const float t = std::clamp(v * (1 - s * (1 - f)), 0.0F, 1.0F);
  switch (static_cast<int>(sixth) % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

float Wrapped(double turns) {
  return static_cast<float>(turns - std::floor(turns));
}

// As torchvision from 0.15 on, which scales back by a hair less than 256, so that 1.0 becomes 255 and every
// level is kept.
template <typename T>
void ShiftHue(T* pixel, double shift) {
  constexpr float kBack = sizeof(T) == 1 ? 255.999F : 1.0F;
  Rgb hsv = ToHsv({static_cast<float>(pixel[0]) / kWhite<T>, static_cast<float>(pixel[1]) / kWhite<T>,
                   static_cast<float>(pixel[2]) / kWhite<T>});
  hsv[0] = std::min(Wrapped(static_cast<double>(hsv[0]) + shift), 0x1.fffffep-1F);
  const Rgb rgb = ToRgb(hsv);
  for (std::size_t c = 0; c < rgb.size(); ++c) pixel[c] = Cut<T>(rgb[c] * kBack);
}

template <typename T>
void Adjust(const ColorFactors& factors, T* pixels, std::size_t count) {
  const auto each = [&](auto act) {
    for (std::size_t i = 0; i < count; ++i) act(pixels + i * kChannels);
  };
  if (factors.brightness != 1) each([&](T* pixel) { Blend(pixel, 0.0F, factors.brightness); });
  if (factors.contrast != 1) {
    const float mean = MeanGrey(pixels, count);
    each([&](T* pixel) { Blend(pixel, mean, factors.contrast); });
  }
  if (factors.saturation != 1) each([&](T* pixel) { Blend(pixel, Grey(pixel), factors.saturation); });
  if (factors.hue != 0) each([&](T* pixel) { ShiftHue(pixel, factors.hue); });
}

}  // namespace

ColorFactors DrawColorFactors(const RandomColorAdjust& adjust, Rng& rng) {
  ColorFactors factors;
  factors.brightness = rng.Uniform(adjust.brightness[0], adjust.brightness[1]);
  factors.contrast = rng.Uniform(adjust.contrast[0], adjust.contrast[1]);
  factors.saturation = rng.Uniform(adjust.saturation[0], adjust.saturation[1]);
  factors.hue = rng.Uniform(adjust.hue[0], adjust.hue[1]);
  return factors;
}

void AdjustColor(const ColorFactors& factors, Image& image) {
  WithPixelType(image, [&](auto pixel) { Adjust(factors, image.Data<decltype(pixel)>(), image.Pixels()); });
}

}  // namespace sluice::image
