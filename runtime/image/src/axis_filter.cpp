#include "axis_filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sluice::image {
namespace {

struct Span {
  int first = 0, count = 0;
};

float Triangle(float x) {
  return std::max(0.0F, 1.0F - std::abs(x));
}

Span BilinearTaps(float scale, int from, int i, float* weights) {
  const float position = std::max(0.0F, scale * (static_cast<float>(i) + 0.5F) - 0.5F);
  const int first = std::min(static_cast<int>(position), from - 1);
  const float fraction = std::clamp(position - static_cast<float>(first), 0.0F, 1.0F);
  if (first + 1 >= from || fraction == 0.0F) {
    weights[0] = 1.0F;
    return {first, 1};
  }
  weights[0] = 1.0F - fraction;
  weights[1] = fraction;
  return {first, 2};
}

Span TriangleTaps(float scale, int from, int i, float* weights) {
  const float support = std::max(1.0F, scale);
  const float inverse = 1.0F / support;
  const auto center = static_cast<float>(scale * (i + 0.5));
  const int first = std::max(0, static_cast<int>(std::floor(center - support + 0.5F)));
  int count = std::min(from, static_cast<int>(std::floor(center + support + 0.5F))) - first;
  float total = 0;
  for (int k = 0; k < count; ++k) {
    weights[k] = Triangle((static_cast<float>(k + first) - center + 0.5F) * inverse);
    total += weights[k];
  }
  while (count > 1 && weights[count - 1] == 0.0F) --count;
  for (int k = 0; k < count; ++k) weights[k] /= total;
  return {first, count};
}

int MostTaps(float scale, bool antialias) {
  return antialias ? 2 * static_cast<int>(std::ceil(std::max(1.0F, scale))) + 1 : 2;
}

}  // namespace

void BuildAxisFilter(const AxisWindow& window, bool antialias, AxisFilter& filter) {
  const float scale = static_cast<float>(window.from) / static_cast<float>(window.to);
  const auto count = static_cast<std::size_t>(window.count);
  filter.taps = MostTaps(scale, antialias);
  filter.first.assign(count, 0);
  filter.count.assign(count, 0);
  filter.weights.assign(count * static_cast<std::size_t>(filter.taps), 0.0F);
  filter.begin = window.from;
  filter.end = 0;
  for (int i = 0; i < window.count; ++i) {
    const int position = window.offset + i;
    if (position < 0 || position >= window.to) continue;
    const auto at = static_cast<std::size_t>(i);
    float* weights = filter.weights.data() + at * static_cast<std::size_t>(filter.taps);
    const Span span = antialias ? TriangleTaps(scale, window.from, position, weights)
                                : BilinearTaps(scale, window.from, position, weights);
    filter.first[at] = span.first;
    filter.count[at] = span.count;
    filter.begin = std::min(filter.begin, span.first);
    filter.end = std::max(filter.end, span.first + span.count);
  }
}

}  // namespace sluice::image
