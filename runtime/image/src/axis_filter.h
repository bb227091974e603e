// AxisFilter: which source pixels, with which weights, make each output pixel along one axis of a resize.
// The formulas are torch's interpolate(mode="bilinear", align_corners=False) and its antialias=True, whose
// triangle widens with the scale. A plain value, rebuilt in place.
#pragma once
#include <vector>

namespace sluice::image {

struct AxisFilter {
  int taps = 0;                // the most source pixels that an output pixel has
  std::vector<int> first;      // per output pixel
  std::vector<int> count;      // per output pixel; 0: outside the image, black
  std::vector<float> weights;  // output pixels x taps, zero past `count`
  int begin = 0, end = 0;      // source pixels that are used at all

  [[nodiscard]] int size() const { return static_cast<int>(first.size()); }
  [[nodiscard]] const float* WeightsOf(int i) const {
    return weights.data() + static_cast<std::ptrdiff_t>(i) * taps;
  }
};

// Part [offset, offset + count) of an axis of `from` pixels resized to `to`; the part may reach outside.
struct AxisWindow {
  int from = 0, to = 0;
  int offset = 0, count = 0;
};

void BuildAxisFilter(const AxisWindow& window, bool antialias, AxisFilter& filter);

}  // namespace sluice::image
