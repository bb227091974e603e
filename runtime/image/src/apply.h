// Apply: one transform on one image, unfused. This path is the definition of what a transform does; the
// fused one must agree with it.
#pragma once
#include <cstddef>
#include <span>

#include "image.h"
#include "resize.h"
#include "sluice/base/error.h"
#include "sluice/base/rng.h"
#include "sluice/image/transform.h"

namespace sluice::image {

struct ApplyScratch {
  Image spare;
  ResizeScratch resize;
};

// REQUIRES a transform that Compile has accepted for this image, and not Decode.
[[nodiscard]] Result<void> Apply(const Transform& transform, Rng rng, ApplyScratch& scratch, Image& image);

}  // namespace sluice::image
