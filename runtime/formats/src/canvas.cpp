#include "canvas.h"

#include <algorithm>
#include <bit>

#include "sluice/base/check.h"

namespace sluice::formats::internal {
namespace {

// Running mean over `reach` pixels to either side, edges repeated.
template <typename At>
void BlurLine(int length, int reach, std::vector<Color>& line, At at) {
  for (int i = 0; i < length; ++i) line[static_cast<std::size_t>(i)] = at(i);
  const auto clamped = [&](int i) { return line[static_cast<std::size_t>(std::clamp(i, 0, length - 1))]; };
  Color sum{};
  for (int i = -reach; i <= reach; ++i) sum = sum + clamped(i);
  const float scale = 1.0F / static_cast<float>(2 * reach + 1);
  for (int i = 0; i < length; ++i) {
    at(i) = sum * scale;
    sum = sum + clamped(i + reach + 1) + clamped(i - reach) * -1.0F;
  }
}

// Nearly normal with a standard deviation of 1: the sum of eight bytes.
float Noise(std::uint64_t bits) {
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
  const std::uint64_t pairs = (bits & kEven) + ((bits >> 8) & kEven);
  const auto sum = static_cast<int>((pairs * 0x0001000100010001) >> 48);
  return static_cast<float>(sum - 1020) * (1.0F / 209.0F);
}

Color Clamp(Color value, float high) {
  const Color zero{};
  const Color top = zero + high;
  value = value > zero ? value : zero;
  return value < top ? value : top;
}

Color Curve(Color value, float contrast) {
  const Color v = Clamp(value, 1);
  return v + contrast * (v * v * (3.0F - 2.0F * v) - v);
}

// Nearly normal, stronger in brightness than in colour.
Color SensorNoise(std::uint64_t bits) {
  const float grey = Noise(bits);
  const float tint = (static_cast<float>(bits & 0xffff) - 32768) * (0.8F / 32768);
  return Color{grey + tint, grey, grey - tint, 0};
}

}  // namespace

void Canvas::Blur(int reach) {
  if (reach < 1) return;
  std::vector<Color> line(static_cast<std::size_t>(std::max(width_, height_)));
  for (int y = 0; y < height_; ++y)
    BlurLine(width_, reach, line,
             [row = Row(y)](int x) -> Color& { return row[static_cast<std::size_t>(x)]; });
  for (int x = 0; x < width_; ++x)
    BlurLine(height_, reach, line,
             [this, x](int y) -> Color& { return pixels_[static_cast<std::size_t>(y) * width_ + x]; });
}

void Develop(Canvas& canvas, const Camera& camera, Rng& rng, std::span<std::uint8_t> out) {
  const auto width = static_cast<float>(canvas.width());
  const auto height = static_cast<float>(canvas.height());
  SLUICE_CHECK(out.size() == std::size_t{3} * canvas.width() * canvas.height());
  std::uint8_t* to = out.data();
  for (int y = 0; y < canvas.height(); ++y) {
    const float v = (2 * static_cast<float>(y) - height) / height;
    int x = 0;
    for (const Color& pixel : canvas.Row(y)) {
      const float u = (2 * static_cast<float>(x++) - width) / width;
      const float light = camera.exposure * (1 - camera.vignette * 0.5F * (u * u + v * v));
      const Color seen = Curve(pixel * camera.balance * light, camera.contrast);
      const Color value = Clamp((seen + camera.noise * SensorNoise(rng.Next())) * 255.0F + 0.5F, 255);
      for (int channel = 0; channel < 3; ++channel) *to++ = static_cast<std::uint8_t>(value[channel]);
    }
  }
}

}  // namespace sluice::formats::internal
