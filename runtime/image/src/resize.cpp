#include "resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice::image {
namespace {

template <typename T>
T ToPixel(float value) {
  if constexpr (sizeof(T) == 1) return static_cast<T>(std::clamp(std::nearbyint(value), 0.0F, 255.0F));
  return static_cast<T>(value);
}

template <typename T>
void FilterColumns(const T* row, const AxisFilter& filter, float* out) {
  for (int x = 0; x < filter.size(); ++x) {
    const auto at = static_cast<std::size_t>(x);
    const float* weights = filter.WeightsOf(x);
    const T* source = row + static_cast<std::ptrdiff_t>(filter.first[at]) * kChannels;
    for (int c = 0; c < kChannels; ++c) {
      float sum = 0;
      for (int k = 0; k < filter.count[at]; ++k) {
        sum += weights[k] * static_cast<float>(source[k * kChannels + c]);
      }
      out[x * kChannels + c] = sum;
    }
  }
}

template <typename T>
void FilterRows(const float* narrowed, std::ptrdiff_t stride, const AxisFilter& filter, T* out) {
  for (int y = 0; y < filter.size(); ++y, out += stride) {
    const auto at = static_cast<std::size_t>(y);
    const float* source = narrowed + stride * filter.first[at];
    const float* weights = filter.WeightsOf(y);
    for (std::ptrdiff_t x = 0; x < stride; ++x) {
      float sum = 0;
      for (int k = 0; k < filter.count[at]; ++k) sum += weights[k] * source[k * stride + x];
      out[x] = ToPixel<T>(sum);
    }
  }
}

}  // namespace

void ResizeImage(const Image& in, Size size, bool antialias, ResizeScratch& scratch, Image& out) {
  BuildAxisFilter({in.size.height, size.height, 0, size.height}, antialias, scratch.rows);
  BuildAxisFilter({in.size.width, size.width, 0, size.width}, antialias, scratch.columns);
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(size.width) * kChannels;
  auto* narrowed = scratch.narrowed.Reserve<float>(static_cast<std::size_t>(stride * in.size.height));
  out.Reset(size, in.dtype);
  WithPixelType(in, [&](auto pixel) {
    using T = decltype(pixel);
    const std::ptrdiff_t in_stride = static_cast<std::ptrdiff_t>(in.size.width) * kChannels;
    for (int y = scratch.rows.begin; y < scratch.rows.end; ++y) {
      FilterColumns(in.Data<T>() + y * in_stride, scratch.columns, narrowed + y * stride);
    }
    FilterRows(narrowed, stride, scratch.rows, out.Data<T>());
  });
}

}  // namespace sluice::image
