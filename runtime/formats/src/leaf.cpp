#include "leaf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace sluice::formats::internal {
namespace {

float Clamp01(float v) {
  return std::min(std::max(v, 0.0F), 1.0F);
}

// Depth(u, v): how far inside the outline a point lies, about in pixels, negative outside. u runs along the
// leaf, v across it.
struct Disc {
  explicit Disc(const Leaf& leaf) : a(1 / leaf.length), b(1 / leaf.width), depth(leaf.width) {}
  [[nodiscard]] float Depth(float u, float v) const {
    const float s = u * a;
    const float t = v * b;
    return (1 - std::sqrt(s * s + t * t)) * depth;
  }
  float a, b, depth;
};

// Where two circles overlap: the outline of a leaf.
struct Blade {
  explicit Blade(const Leaf& leaf)
      : radius((leaf.length * leaf.length + leaf.width * leaf.width) / (2 * leaf.width)),
        off(radius - leaf.width) {}
  [[nodiscard]] float Depth(float u, float v) const {
    const float w = std::abs(v) + off;
    return radius - std::sqrt(u * u + w * w);
  }
  float radius, off;
};

struct Polygon {
  explicit Polygon(const Leaf& leaf) : squeeze(leaf.length / leaf.width) {
    Rng rng(leaf.seed);
    for (std::size_t i = 0; i < normals.size(); ++i) {
      normals[i] = AnyDirection(rng);
      reach[i] = leaf.length * static_cast<float>(rng.Uniform(0.45, 0.95));
    }
  }
  [[nodiscard]] float Depth(float u, float v) const {
    float depth = reach[0] - (u * normals[0].x + v * squeeze * normals[0].y);
    for (std::size_t i = 1; i < normals.size(); ++i)
      depth = std::min(depth, reach[i] - (u * normals[i].x + v * squeeze * normals[i].y));
    return depth;
  }
  float squeeze;
  std::array<Direction, 7> normals;
  std::array<float, 7> reach;
};

struct Slab {
  explicit Slab(const Leaf& leaf) : length(leaf.length), width(leaf.width) {}
  [[nodiscard]] float Depth(float u, float v) const {
    return std::min(length - std::abs(u), width - std::abs(v));
  }
  float length, width;
};

struct Box {
  int left, top, right, bottom;
};

Box Bounds(const Leaf& leaf, float margin, const Canvas& canvas) {
  const float c = std::abs(leaf.along.x);
  const float s = std::abs(leaf.along.y);
  const float half_width = leaf.length * c + leaf.width * s + margin;
  const float half_height = leaf.length * s + leaf.width * c + margin;
  return {std::max(0, static_cast<int>(leaf.x - half_width)),
          std::max(0, static_cast<int>(leaf.y - half_height)),
          std::min(canvas.width(), static_cast<int>(leaf.x + half_width) + 2),
          std::min(canvas.height(), static_cast<int>(leaf.y + half_height) + 2)};
}

// The surface's brightness at (u, v), `depth` pixels inside the outline.
class Surface {
 public:
  explicit Surface(const Leaf& leaf)
      : leaf_(leaf),
        light_u_((leaf.light.x * leaf.along.x + leaf.light.y * leaf.along.y) / leaf.length),
        light_v_((leaf.light.y * leaf.along.x - leaf.light.x * leaf.along.y) / leaf.width),
        rim_(1 / (0.45F * leaf.width)),
        lamp_(1 / (0.16F * leaf.width * leaf.width)),
        vein_(leaf.shape == Shape::kBlade && leaf.width > 4 ? 0.14F : 0),
        vein_across_(8 / leaf.width) {}

  [[nodiscard]] float At(float u, float v, float depth, float grain) const {
    const float facing = u * light_u_ + v * light_v_;
    const float rim = 1 - std::min(1.0F, depth * rim_);
    const float vein = std::max(0.0F, 1 - std::abs(v) * vein_across_);
    return 1 + leaf_.shade * (facing - 0.7F * rim * rim) + leaf_.contrast * grain + vein_ * vein;
  }
  // How much of the colour is the lamp's.
  [[nodiscard]] float GlossAt(float u, float v) const {
    const float du = u - 0.3F * leaf_.length * leaf_.length * light_u_;
    const float dv = v - 0.3F * leaf_.width * leaf_.width * light_v_;
    const float near = std::max(0.0F, 1 - (du * du + dv * dv) * lamp_);
    return leaf_.gloss * near * near;
  }

 private:
  const Leaf& leaf_;
  float light_u_, light_v_, rim_, lamp_, vein_, vein_across_;
};

// Paints one leaf, a few pixels of a row at a time: outlines first, which the compiler vectorises.
template <typename Outline>
class LeafPainter {
 public:
  LeafPainter(const Leaf& leaf, const Grain& grain, Canvas& canvas)
      : leaf_(leaf), grain_(grain), canvas_(canvas), outline_(leaf), surface_(leaf) {
    fall_ = leaf.shadow > 0 && leaf.width > kThrowsShadow ? std::min(7.0F, 0.16F * leaf.width + 0.5F) : 0;
    fall_u_ = -fall_ * (leaf.light.x * leaf.along.x + leaf.light.y * leaf.along.y);
    fall_v_ = -fall_ * (leaf.light.y * leaf.along.x - leaf.light.x * leaf.along.y);
    sharp_ = 1 / leaf.edge;
    shadow_sharp_ = 1 / (leaf.edge + 1.2F * fall_);
  }

  void Paint() {
    const Box box = Bounds(leaf_, leaf_.edge + 1.6F * fall_, canvas_);
    for (int y = box.top; y < box.bottom; ++y)
      for (int x = box.left; x < box.right; x += kStrip) PaintStrip(x, y, std::min(kStrip, box.right - x));
  }

 private:
  static constexpr int kStrip = 32;
  static constexpr float kThrowsShadow = 3;
  using Strip = std::array<float, kStrip>;

  // A strip's first pixel, in the picture and on the leaf.
  struct Start {
    int x, y;
    float u, v;
  };

  void PaintStrip(int x, int y, int count) {
    const float dy = static_cast<float>(y) - leaf_.y;
    const float dx = static_cast<float>(x) - leaf_.x;
    const Start start{x, y, dx * leaf_.along.x + dy * leaf_.along.y, dy * leaf_.along.x - dx * leaf_.along.y};
    const auto row = canvas_.Row(y).subspan(static_cast<std::size_t>(x), static_cast<std::size_t>(count));
    Strip depth;
    Depth(start.u, start.v, row.size(), depth);
    // No point is further from the outline than its shadow reaches.
    if (!AnyAbove(-(leaf_.edge + 2 * fall_), row.size(), depth)) return;
    if (fall_ > 0) Darken(start, row);
    if (AnyAbove(-0.5F * leaf_.edge, row.size(), depth)) Cover(start, depth, row);
  }

  void Depth(float u, float v, std::size_t count, Strip& depth) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto step = static_cast<float>(static_cast<int>(i));
      depth[i] = outline_.Depth(u + step * leaf_.along.x, v - step * leaf_.along.y);
    }
  }

  static bool AnyAbove(float limit, std::size_t count, const Strip& depth) {
    int above = 0;
    for (std::size_t i = 0; i < count; ++i) above += depth[i] > limit;
    return above > 0;
  }

  // What the leaf covers itself is painted over afterwards.
  void Darken(const Start& start, std::span<Color> row) const {
    Strip light;
    Depth(start.u - fall_u_, start.v - fall_v_, row.size(), light);
    for (std::size_t i = 0; i < row.size(); ++i)
      light[i] = 1 - leaf_.shadow * Clamp01(light[i] * shadow_sharp_ + 0.5F);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= light[i];
  }

  void Cover(const Start& start, const Strip& depth, std::span<Color> row) const {
    Strip bright;
    for (std::size_t i = 0; i < row.size(); ++i)
      bright[i] = grain_.At(start.x + static_cast<int>(i), start.y);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto step = static_cast<float>(static_cast<int>(i));
      bright[i] =
          surface_.At(start.u + step * leaf_.along.x, start.v - step * leaf_.along.y, depth[i], bright[i]);
    }
    Strip gloss;
    if (leaf_.gloss > 0) Gloss(start, row.size(), gloss);
    for (std::size_t i = 0; i < row.size(); ++i) {
      Color color = leaf_.color * bright[i];
      if (leaf_.gloss > 0) color = Mix(color, Color{1, 1, 1, 0}, gloss[i]);
      row[i] = Mix(row[i], color, Clamp01(depth[i] * sharp_ + 0.5F));
    }
  }

  void Gloss(const Start& start, std::size_t count, Strip& gloss) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto step = static_cast<float>(static_cast<int>(i));
      gloss[i] = surface_.GlossAt(start.u + step * leaf_.along.x, start.v - step * leaf_.along.y);
    }
  }

  const Leaf& leaf_;
  const Grain& grain_;
  Canvas& canvas_;
  const Outline outline_;
  const Surface surface_;
  float fall_, fall_u_, fall_v_, sharp_, shadow_sharp_;
};

}  // namespace

// By rejection, because sine and cosine may differ from one C library to the next.
Direction AnyDirection(Rng& rng) {
  for (;;) {
    const auto x = static_cast<float>(rng.Uniform(-1, 1));
    const auto y = static_cast<float>(rng.Uniform(-1, 1));
    const float square = x * x + y * y;
    if (square < 0.01F || square > 1) continue;
    const float scale = 1 / std::sqrt(square);
    return {x * scale, y * scale};
  }
}

float Area(const Leaf& leaf) {
  constexpr std::array<float, 4> kShare{3.14F, 2.1F, 1.8F, 4.0F};
  return kShare[static_cast<std::size_t>(leaf.shape)] * leaf.length * leaf.width;
}

void Paint(const Leaf& leaf, const Grain& grain, Canvas& canvas) {
  switch (leaf.shape) {
    case Shape::kDisc:
      return LeafPainter<Disc>(leaf, grain, canvas).Paint();
    case Shape::kBlade:
      return LeafPainter<Blade>(leaf, grain, canvas).Paint();
    case Shape::kPolygon:
      return LeafPainter<Polygon>(leaf, grain, canvas).Paint();
    case Shape::kSlab:
      return LeafPainter<Slab>(leaf, grain, canvas).Paint();
  }
}

}  // namespace sluice::formats::internal
