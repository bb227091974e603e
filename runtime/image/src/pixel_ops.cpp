#include "pixel_ops.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sluice::image {
namespace {

std::ptrdiff_t RowValues(int width) {
  return static_cast<std::ptrdiff_t>(width) * kChannels;
}

template <typename T>
T FillValue(std::uint8_t fill) {
  if constexpr (sizeof(T) == 1) return fill;
  return static_cast<T>(static_cast<float>(fill) / 255.0F);
}

template <typename T>
void CropPaddedRows(const Image& in, const Box& box, T fill, Image& out) {
  T* target = out.Data<T>();
  std::fill_n(target, out.Values(), fill);
  const int first = std::max(0, -box.left), last = std::min(box.width, in.size.width - box.left);
  if (first >= last) return;
  for (int y = 0; y < box.height; ++y) {
    const int from = box.top + y;
    if (from < 0 || from >= in.size.height) continue;
    const T* source = in.Data<T>() + RowValues(in.size.width) * from + RowValues(box.left + first);
    std::copy_n(source, RowValues(last - first), target + RowValues(box.width) * y + RowValues(first));
  }
}

template <typename T>
void ReversePixels(T* row, int width, int values) {
  for (int a = 0, b = width - 1; a < b; ++a, --b) {
    std::swap_ranges(row + a * values, row + (a + 1) * values, row + b * values);
  }
}

template <typename T>
void Transpose(const T* in, std::size_t rows, std::size_t columns, T* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) out[c * rows + r] = in[r * columns + c];
  }
}

}  // namespace

void CropPadded(const Image& in, const Box& box, std::uint8_t fill, Image& out) {
  out.Reset({box.height, box.width}, in.dtype);
  WithPixelType(in, [&](auto pixel) {
    using T = decltype(pixel);
    CropPaddedRows<T>(in, box, FillValue<T>(fill), out);
  });
}

void FlipHorizontally(Image& image) {
  const int values = image.planar ? 1 : kChannels;
  const int rows = image.planar ? image.size.height * kChannels : image.size.height;
  WithPixelType(image, [&](auto pixel) {
    auto* row = image.Data<decltype(pixel)>();
    const auto stride = static_cast<std::ptrdiff_t>(image.size.width) * values;
    for (int y = 0; y < rows; ++y) ReversePixels(row + y * stride, image.size.width, values);
  });
}

void ConvertToFloat(const Image& in, Image& out) {
  out.Reset(in.size, DType::kF32, in.planar);
  std::transform(in.Data<std::uint8_t>(), in.Data<std::uint8_t>() + in.Values(), out.Data<float>(),
                 [](std::uint8_t value) { return static_cast<float>(value) / 255.0F; });
}

void NormalizePixels(const Normalize& normalize, Image& image) {
  auto* values = image.Data<float>();
  for (std::size_t i = 0; i < image.Values(); ++i) {
    const std::size_t channel = image.planar ? i / image.Pixels() : i % kChannels;
    values[i] = (values[i] - normalize.mean[channel]) / normalize.std[channel];
  }
}

void ConvertToChw(const Image& in, Image& out) {
  out.Reset(in.size, in.dtype, true);
  WithPixelType(in, [&](auto pixel) {
    using T = decltype(pixel);
    Transpose(in.Data<T>(), in.Pixels(), kChannels, out.Data<T>());
  });
}

void ConvertToHwc(const Image& in, Image& out) {
  out.Reset(in.size, in.dtype, false);
  WithPixelType(in, [&](auto pixel) {
    using T = decltype(pixel);
    Transpose(in.Data<T>(), kChannels, in.Pixels(), out.Data<T>());
  });
}

}  // namespace sluice::image
