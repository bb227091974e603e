// Canvas: a picture while it is painted, and the camera that takes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/base/rng.h"

namespace sluice::formats::internal {

// Red, green, blue and one unused, 0..1, gamma-coded; may leave the range while painting. One SIMD register
// on x86-64 and aarch64 (a vector type of GCC and Clang).
using Color = float __attribute__((vector_size(16)));

inline Color Mix(Color a, Color b, float t) {
  return a + (b - a) * t;
}

// One thread at a time.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * height) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::span<Color> Row(int y) {
    return std::span(pixels_).subspan(static_cast<std::size_t>(y) * width_, static_cast<std::size_t>(width_));
  }

  // Out of focus: a soft blur of about `reach` pixels to every side.
  void Blur(int reach);

 private:
  int width_;
  int height_;
  std::vector<Color> pixels_;
};

struct Camera {
  float exposure = 1;   // factor
  float contrast = 0;   // 0..1, how much of an S curve
  float vignette = 0;   // how much darker the corners are
  float noise = 0.01F;  // standard deviation
  Color balance{1, 1, 1, 0};
};

// R, G, B bytes, rows top to bottom. `out` holds width * height * 3.
void Develop(Canvas& canvas, const Camera& camera, Rng& rng, std::span<std::uint8_t> out);

}  // namespace sluice::formats::internal
