// Where transforms cut: sizes and boxes, drawn or computed, as torchvision does. The fused and the unfused
// path both ask here, so that they cut alike.
#pragma once
#include "sluice/base/rng.h"
#include "sluice/image/transform.h"

namespace sluice::image {

struct Size {
  int height = 0, width = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

// Sizes beyond what one image may have (kMaxPixels), which a kept ratio can ask for.
[[nodiscard]] bool IsTooLarge(Size size);

// In pixels of an image; may reach outside it, where the transform pads.
struct Box {
  int top = 0, left = 0, height = 0, width = 0;
  friend bool operator==(const Box&, const Box&) = default;
};

// torchvision's RandomResizedCrop.get_params: ten tries, then the largest central box of a legal ratio.
[[nodiscard]] Box DrawResizedCrop(const RandomResizedCrop& crop, Size image, Rng& rng);
// May be too large.
[[nodiscard]] Size ResizedSize(const Resize& resize, Size image);
[[nodiscard]] Box CenterBox(const CenterCrop& crop, Size image);
[[nodiscard]] bool FitsPadded(const RandomCrop& crop, Size image);
// REQUIRES FitsPadded.
[[nodiscard]] Box DrawRandomCrop(const RandomCrop& crop, Size image, Rng& rng);
[[nodiscard]] inline bool DrawFlip(const RandomHorizontalFlip& flip, Rng& rng) {
  return rng.Uniform() < flip.probability;
}

}  // namespace sluice::image
