// The inner loops of the fused paths, chosen once for the processor at hand. Pure. Sums are taken in the
// order of the unfused resize, without fused multiply-add, so that both round to the same grey levels.
//
// A filtered row is float RGBX in blocks of 8 pixels; within a block pixel k stands beside pixel k + 4, so
// that two 128-bit halves turn into planes of 8 pixels without crossing lanes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "axis_filter.h"
#include "fused_tail.h"

namespace sluice::image {

inline constexpr int kBlock = 8;            // pixels
inline constexpr int kBlockFloats = 4 * 8;  // of a filtered row

// Slot of pixel `i` in a filtered row or a PackedAxis.
constexpr std::size_t SlotOf(int i) {
  const int in_block = i % kBlock;
  return static_cast<std::size_t>(i - in_block + (in_block % 4) * 2 + in_block / 4);
}

// An AxisFilter laid out for FilterRow, which works on two slots at a time.
struct PackedAxis {
  int taps = 0;
  int width = 0;
  std::vector<int> first;      // by slot, in pixels from the axis' `begin`
  std::vector<float> weights;  // pairs of slots x taps x (4 times one slot's weight, 4 times the other's)

  [[nodiscard]] int blocks() const { return (width + kBlock - 1) / kBlock; }
  [[nodiscard]] std::size_t row_floats() const { return static_cast<std::size_t>(blocks()) * kBlockFloats; }
  // Pixels past the last used one that FilterRow may read.
  [[nodiscard]] int slack() const { return taps + 4; }
};

// `mirrored`: output pixel 0 comes last.
void PackAxis(const AxisFilter& filter, bool mirrored, PackedAxis& packed);

struct RowBlend {
  const float* const* rows = nullptr;  // filtered rows
  const float* weights = nullptr;      // one per row
  int count = 0;                       // 0: black
};
struct PlanesOut {
  float* first = nullptr;     // where this row of plane 0 starts
  std::ptrdiff_t stride = 0;  // floats between planes
  int width = 0;
};
struct PlaneWindow {
  const std::uint8_t* first = nullptr;
  std::ptrdiff_t stride = 0;
  int height = 0, width = 0;
  bool mirrored = false;
};

struct Kernels {
  // RGBX bytes -> filtered row. `row` is the pixel at the axis' `begin`.
  void (*filter_row)(const std::uint8_t* row, const PackedAxis& axis, float* filtered);
  // Weighted sum of filtered rows, rounded to grey levels, through `affine`, as one row of three planes.
  void (*blend_rows)(const RowBlend& blend, const Affine& affine, const PlanesOut& out);
  // Window of a u8 plane -> f32 rows without gaps, value * scale + offset.
  void (*convert_plane)(const PlaneWindow& window, float scale, float offset, float* out);
  // RGB bytes -> three runs of `count` bytes, `plane_stride` apart.
  void (*split_rgb)(const std::uint8_t* rgb, int count, std::uint8_t* planes, std::ptrdiff_t plane_stride);
};

[[nodiscard]] const Kernels& PortableKernels();
// The fastest that this processor runs.
[[nodiscard]] const Kernels& BestKernels();

}  // namespace sluice::image
