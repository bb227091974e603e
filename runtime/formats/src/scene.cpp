#include "scene.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sluice::formats::internal {
namespace {

float Draw(Rng& rng, double low, double high) {
  return static_cast<float>(rng.Uniform(low, high));
}

// Radii r with a density of r^-3, by which a scene looks alike at every scale.
float DrawRadius(Rng& rng, float low, float high) {
  const float a = 1 / (low * low);
  const float b = 1 / (high * high);
  return 1 / std::sqrt(b + (a - b) * Draw(rng, 0, 1));
}

Shape DrawShape(Rng& rng, const std::array<int, 4>& mix) {
  int ticket = static_cast<int>(rng.Below(static_cast<std::uint64_t>(mix[0] + mix[1] + mix[2] + mix[3])));
  for (std::size_t i = 0; i < mix.size(); ++i) {
    ticket -= mix[i];
    if (ticket < 0) return static_cast<Shape>(i);
  }
  return Shape::kDisc;
}

// What all things of one picture share.
struct Setting {
  const Look& look;
  const Surfaces& surfaces;
  Direction light;
  Direction common;  // the way that upright things point
  float shorter;     // side of the picture, pixels
  float texel;       // texture pixels per pixel
  float tiniest;     // half length of the smallest thing worth painting, pixels
};

// Things that are painted together.
struct Layer {
  float crowd;     // how many times they cover the ground
  float smallest;  // half length, pixels
  float largest;
  float haze;  // 0..1
  float edge;  // softness, pixels
};

class Painter {
 public:
  Painter(const Setting& setting, Rng& rng, Canvas& canvas)
      : setting_(setting), look_(setting.look), rng_(rng), canvas_(canvas) {}

  void Background() {
    const Grain clouds(setting_.surfaces.cloud, rng_, 1, 0, 0.6F * setting_.texel, 3);
    const Grain soil(setting_.surfaces.creased, rng_, 1, 0, setting_.texel, 3);
    const Color earth = DrawColor() * 0.8F;
    const auto height = static_cast<float>(canvas_.height());
    const int ground = look_.horizon > 0 ? static_cast<int>(look_.horizon * height) : canvas_.height();
    for (int y = 0; y < canvas_.height(); ++y) {
      const float down = static_cast<float>(y) / height;
      const bool below = y >= ground;
      const float near = below ? (down - look_.horizon) / (1 - look_.horizon) : 0;
      const Color sky = Mix(look_.top, look_.bottom, look_.horizon > 0 ? down / look_.horizon : down);
      const Color base = below ? Mix(look_.bottom, earth, 0.3F + 0.7F * near) : sky;
      const float contrast = below ? 0.1F + 0.2F * near : 0.12F;
      int x = 0;
      for (Color& pixel : canvas_.Row(y)) pixel = base * (1 + contrast * (below ? soil : clouds).At(x++, y));
    }
  }

  // Covers the part below the horizon `crowd` times; far away things are smaller and fade.
  void Things(const Layer& layer) {
    for (const Leaf& leaf : DrawThings(layer)) {
      const Texture& texture = look_.creased ? setting_.surfaces.creased : setting_.surfaces.cloud;
      const Grain grain(texture, rng_, leaf.along.x, leaf.along.y, setting_.texel, look_.stretch);
      Paint(leaf, grain, canvas_);
    }
  }

 private:
  // Those in front last.
  std::vector<Leaf> DrawThings(const Layer& layer) {
    const auto pixels = static_cast<float>(canvas_.width()) * static_cast<float>(canvas_.height());
    const float wanted = layer.crowd * (1 - look_.horizon) * pixels;
    std::vector<Leaf> leaves;
    float area = 0;
    while (area < wanted) {
      leaves.push_back(DrawLeaf(layer));
      area += Area(leaves.back());
    }
    // The seed makes the order the same with every sort.
    const auto place = [](const Leaf& leaf) { return std::pair(leaf.y + 0.6F * Rise(leaf), leaf.seed); };
    if (look_.horizon > 0) std::ranges::sort(leaves, {}, place);
    return leaves;
  }

  // From a thing's centre to its top.
  static float Rise(const Leaf& leaf) {
    return leaf.length * std::abs(leaf.along.y) + leaf.width * std::abs(leaf.along.x);
  }

  Leaf DrawLeaf(const Layer& layer) {
    Leaf leaf;
    const bool standing = look_.horizon > 0;
    const float down = Draw(rng_, 0, 1);
    // Small at the horizon; without one everything is equally near.
    const float nearness = standing ? 0.25F + 0.75F * down : 1;
    const float haze = standing ? std::max(layer.haze, 0.55F * (1 - down)) : layer.haze;
    leaf.shape = DrawShape(rng_, look_.mix);
    leaf.length = std::max(nearness * DrawRadius(rng_, layer.smallest, layer.largest), setting_.tiniest);
    leaf.width = leaf.length / Draw(rng_, 1, look_.slimness);
    leaf.along = DrawDirection();
    leaf.x = Draw(rng_, -0.05, 1.05) * static_cast<float>(canvas_.width());
    leaf.y =
        (look_.horizon + (1 - look_.horizon) * (1.08F * down - 0.04F)) * static_cast<float>(canvas_.height());
    if (standing) leaf.y += 0.12F * setting_.shorter * down - 0.6F * Rise(leaf);
    leaf.color = Mix(DrawColor(), look_.horizon > 0 ? look_.bottom : look_.top, haze);
    leaf.shade = Draw(rng_, 0.15, 0.4);
    leaf.gloss = look_.gloss * Draw(rng_, 0.3, 1);
    leaf.contrast = look_.grain * Draw(rng_, 0.6, 1.5) * (1 - haze);
    leaf.edge = layer.edge;
    leaf.shadow = 0.5F * (1 - haze);
    leaf.light = setting_.light;
    leaf.seed = rng_.Next();
    return leaf;
  }

  Direction DrawDirection() {
    const Direction any = AnyDirection(rng_);
    const float k = look_.upright;
    const Direction sum{k * setting_.common.x + (1 - k) * any.x, k * setting_.common.y + (1 - k) * any.y};
    const float square = sum.x * sum.x + sum.y * sum.y;
    if (square < 1e-4F) return any;
    const float scale = 1 / std::sqrt(square);
    return {sum.x * scale, sum.y * scale};
  }

  Color DrawColor() {
    const Color& a = look_.palette[rng_.Below(look_.palette.size())];
    const Color& b = look_.palette[rng_.Below(look_.palette.size())];
    const float share = Draw(rng_, 0, 0.5);
    return Mix(a, b, share) * Draw(rng_, 0.65, 1.25);
  }

  const Setting& setting_;
  const Look& look_;
  Rng& rng_;
  Canvas& canvas_;
};

Camera DrawCamera(Rng& rng) {
  const float warmth = Draw(rng, -0.06, 0.06);
  return {.exposure = Draw(rng, 0.88, 1.18),
          .contrast = Draw(rng, 0.1, 0.5),
          .vignette = Draw(rng, 0, 0.3),
          .noise = Draw(rng, 0.010, 0.026),
          .balance = Color{1 + warmth, 1, 1 - warmth, 0}};
}

}  // namespace

void PaintScene(const Look& look, const Surfaces& surfaces, Rng& rng, int width, int height,
                std::span<std::uint8_t> out) {
  Canvas canvas(width, height);
  const auto shorter = static_cast<float>(std::min(width, height));
  const Direction sideways = AnyDirection(rng);
  // Details of a thumbnail would be lost, and cost most of the time.
  const bool thumbnail = shorter < 100;
  const float tiniest = thumbnail ? 4.5F : 3.5F;
  const float crowd = (thumbnail ? 0.28F : 0.4F) * look.crowd;
  const Setting setting{.look = look,
                        .surfaces = surfaces,
                        .light = {sideways.x * 0.6F, -0.8F},
                        .common = {1, 0},
                        .shorter = shorter,
                        .texel = std::min(3.0F, std::max(1.0F, 375 / shorter)),
                        .tiniest = tiniest};
  const float smallest = std::max(look.smallest * shorter, tiniest);
  const float largest = std::max(look.largest * shorter * Draw(rng, 0.7, 1.3), 2 * smallest);
  Painter painter(setting, rng, canvas);
  painter.Background();
  const float depth = Draw(rng, 0, 1);
  painter.Things({crowd, 1.5F * smallest, largest, 0.25F, 1 + 2 * depth});
  canvas.Blur(static_cast<int>(depth * shorter / 120));
  painter.Things({crowd, smallest, largest, 0, 1.2F});
  Develop(canvas, DrawCamera(rng), rng, out);
}

}  // namespace sluice::formats::internal
