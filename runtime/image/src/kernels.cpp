#include "kernels.h"

#include <algorithm>
#include <cmath>

#include "kernels_avx2.h"

namespace sluice::image {
namespace {

void FilterRow(const std::uint8_t* row, const PackedAxis& axis, float* filtered) {
  const float* weights = axis.weights.data();
  for (std::size_t slot = 0; slot < axis.first.size(); ++slot) {
    const std::uint8_t* pixel = row + std::ptrdiff_t{axis.first[slot]} * 4;
    const float* weight = weights + slot / 2 * static_cast<std::size_t>(axis.taps) * 8 + slot % 2 * 4;
    float sums[4] = {};
    for (int k = 0; k < axis.taps; ++k, pixel += 4, weight += 8) {
      for (int c = 0; c < 4; ++c) sums[c] += weight[c] * static_cast<float>(pixel[c]);
    }
    std::copy_n(sums, 4, filtered + slot * 4);
  }
}

void BlendRows(const RowBlend& blend, const Affine& affine, const PlanesOut& out) {
  for (int x = 0; x < out.width; ++x) {
    for (std::size_t c = 0; c < 3; ++c) {
      float sum = 0;
      for (int k = 0; k < blend.count; ++k) sum += blend.weights[k] * blend.rows[k][SlotOf(x) * 4 + c];
      out.first[static_cast<std::ptrdiff_t>(c) * out.stride + x] =
          std::nearbyint(sum) * affine.scale[c] + affine.offset[c];
    }
  }
}

void ConvertPlane(const PlaneWindow& window, float scale, float offset, float* out) {
  const std::uint8_t* row = window.first;
  for (int y = 0; y < window.height; ++y, row += window.stride, out += window.width) {
    for (int x = 0; x < window.width; ++x) {
      const int from = window.mirrored ? window.width - 1 - x : x;
      out[x] = static_cast<float>(row[from]) * scale + offset;
    }
  }
}

void SplitRgb(const std::uint8_t* rgb, int count, std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  for (int i = 0; i < count; ++i) {
    for (int c = 0; c < 3; ++c) planes[c * plane_stride + i] = rgb[i * 3 + c];
  }
}

}  // namespace

void PackAxis(const AxisFilter& filter, bool mirrored, PackedAxis& packed) {
  const int most = filter.count.empty() ? 0 : *std::max_element(filter.count.begin(), filter.count.end());
  packed.taps = std::max(1, most);
  packed.width = filter.size();
  const auto slots = static_cast<std::size_t>(packed.blocks()) * kBlock;
  const auto per_slot = static_cast<std::size_t>(packed.taps) * 4;
  packed.first.assign(slots, 0);
  packed.weights.assign(slots * per_slot, 0.0F);
  for (int i = 0; i < packed.width; ++i) {
    const auto from = static_cast<std::size_t>(mirrored ? packed.width - 1 - i : i);
    if (filter.count[from] == 0) continue;
    const std::size_t slot = SlotOf(i);
    const float* weights = filter.WeightsOf(static_cast<int>(from));
    packed.first[slot] = filter.first[from] - filter.begin;
    float* at = packed.weights.data() + slot / 2 * 2 * per_slot + slot % 2 * 4;
    for (int k = 0; k < filter.count[from]; ++k, at += 8) std::fill_n(at, 4, weights[k]);
  }
}

const Kernels& PortableKernels() {
  static constexpr Kernels kKernels{FilterRow, BlendRows, ConvertPlane, SplitRgb};
  return kKernels;
}

const Kernels& BestKernels() {
  static const Kernels& best = Avx2Kernels() != nullptr ? *Avx2Kernels() : PortableKernels();
  return best;
}

}  // namespace sluice::image
