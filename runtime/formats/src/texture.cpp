#include "texture.h"

#include <algorithm>
#include <cmath>

namespace sluice::formats::internal {
namespace {

constexpr std::size_t kCount = std::size_t{kTextureSide} * kTextureSide;

float Smooth(float t) {
  return t * t * (3 - 2 * t);
}

// Random values on a wrapping lattice of `cells` x `cells`, smoothly joined.
class Octave {
 public:
  Octave(Rng& rng, int cells) : cells_(cells), values_(static_cast<std::size_t>(cells) * cells) {
    for (float& value : values_) value = static_cast<float>(rng.Uniform(-1, 1));
  }

  [[nodiscard]] float At(int x, int y) const {
    const int size = kTextureSide / cells_;
    const float across = Smooth(static_cast<float>(x % size) / static_cast<float>(size));
    const float down = Smooth(static_cast<float>(y % size) / static_cast<float>(size));
    const int column = x / size;
    const int row = y / size;
    const float top = Mix(Lattice(column, row), Lattice(column + 1, row), across);
    const float bottom = Mix(Lattice(column, row + 1), Lattice(column + 1, row + 1), across);
    return Mix(top, bottom, down);
  }

 private:
  static float Mix(float a, float b, float t) { return a + (b - a) * t; }
  [[nodiscard]] float Lattice(int column, int row) const {
    return values_[static_cast<std::size_t>(row % cells_) * cells_ + column % cells_];
  }

  int cells_;
  std::vector<float> values_;
};

template <typename Shape>
std::vector<float> SumOfOctaves(std::uint64_t seed, std::uint64_t salt, float fall, Shape shape) {
  Rng rng(seed, 0, 0, salt);
  std::vector<float> sum(kCount, 0.0F);
  float amplitude = 1;
  for (int cells = 4; cells <= kTextureSide; cells *= 2, amplitude *= fall) {
    const Octave octave(rng, cells);
    for (int y = 0; y < kTextureSide; ++y)
      for (int x = 0; x < kTextureSide; ++x)
        sum[static_cast<std::size_t>(y) * kTextureSide + x] += amplitude * shape(octave.At(x, y));
  }
  return sum;
}

// To mean 0 and a standard deviation of 0.4.
void Normalize(std::vector<float>& values) {
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double mean = sum / kCount;
  const double scale = 0.4 / std::sqrt(squares / kCount - mean * mean);
  for (float& value : values) value = static_cast<float>((value - mean) * scale);
}

}  // namespace

Texture Texture::Cloud(std::uint64_t seed) {
  auto values = SumOfOctaves(seed, 1, 0.62F, [](float v) { return v; });
  Normalize(values);
  return Texture(std::move(values));
}

Texture Texture::Creased(std::uint64_t seed) {
  auto values = SumOfOctaves(seed, 2, 0.7F, [](float v) { return v < 0 ? -v : v; });
  Normalize(values);
  return Texture(std::move(values));
}

Grain::Grain(const Texture& texture, Rng& rng, float cosine, float sine, float scale, float stretch)
    : texture_(&texture) {
  constexpr float kOne = 1 << kFraction;
  const float along = scale * kOne / stretch;
  const float across = scale * kOne;
  ux_ = static_cast<int>(cosine * along);
  uy_ = static_cast<int>(sine * along);
  vx_ = static_cast<int>(-sine * across);
  vy_ = static_cast<int>(cosine * across);
  u0_ = static_cast<int>(rng.Below(kTextureSide)) << kFraction;
  v0_ = static_cast<int>(rng.Below(kTextureSide)) << kFraction;
}

}  // namespace sluice::formats::internal
