// The end that all fused programs share: an optional flip, ToFloat and/or Normalize, HwcToChw, in any order
// that makes sense, as one scale and one offset per channel.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "sluice/image/transform.h"

namespace sluice::image {

// f32 value = grey level * scale + offset.
struct Affine {
  std::array<float, 3> scale{};
  std::array<float, 3> offset{};
};

struct FusedTail {
  std::optional<RandomHorizontalFlip> flip;
  std::size_t flip_position = 0;
  Affine affine;
};

// What transforms[from...] do to a u8 HWC image; nullopt: something else than f32 CHW.
[[nodiscard]] std::optional<FusedTail> MatchTail(const std::vector<Transform>& transforms, std::size_t from);

}  // namespace sluice::image
