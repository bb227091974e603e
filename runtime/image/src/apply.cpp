#include "apply.h"

#include <fmt/format.h>

#include <utility>

#include "color_adjust.h"
#include "geometry.h"
#include "pixel_ops.h"
#include "sluice/base/check.h"

namespace sluice::image {
namespace {

struct Step {
  Rng& rng;
  ApplyScratch& scratch;
  Image& image;

  // Runs `act(in, out)` from the image into the spare one and makes that the image.
  template <typename Act>
  Result<void> Replace(Act act) {
    act(image, scratch.spare);
    std::swap(image, scratch.spare);
    return {};
  }
  Result<void> Crop(const Box& box, std::uint8_t fill) {
    return Replace([&](const Image& in, Image& out) { CropPadded(in, box, fill, out); });
  }
  Result<void> ResizeTo(Size size, bool antialias) {
    if (IsTooLarge(size)) {
      return Fail(fmt::format("Resize: {} x {} would become {} x {}, too large", image.size.width,
                              image.size.height, size.width, size.height));
    }
    if (size == image.size) return {};
    return Replace(
        [&](const Image& in, Image& out) { ResizeImage(in, size, antialias, scratch.resize, out); });
  }

  Result<void> operator()(const Decode&) {
    SLUICE_CHECK(false);
    return {};
  }
  Result<void> operator()(const RandomResizedCrop& crop) {
    const Box box = DrawResizedCrop(crop, image.size, rng);
    if (auto cropped = Crop(box, 0); !cropped) return cropped;
    return ResizeTo({crop.height, crop.width}, crop.antialias);
  }
  Result<void> operator()(const Resize& resize) {
    return ResizeTo(ResizedSize(resize, image.size), resize.antialias);
  }
  Result<void> operator()(const CenterCrop& crop) { return Crop(CenterBox(crop, image.size), 0); }
  Result<void> operator()(const RandomCrop& crop) {
    if (!FitsPadded(crop, image.size)) {
      return Fail(
          fmt::format("RandomCrop: an image of {} x {} with padding {} is smaller than the crop {} x {}",
                      image.size.width, image.size.height, crop.padding, crop.width, crop.height));
    }
    return Crop(DrawRandomCrop(crop, image.size, rng), crop.fill);
  }
  Result<void> operator()(const RandomHorizontalFlip& flip) {
    if (DrawFlip(flip, rng)) FlipHorizontally(image);
    return {};
  }
  Result<void> operator()(const RandomColorAdjust& adjust) {
    AdjustColor(DrawColorFactors(adjust, rng), image);
    return {};
  }
  Result<void> operator()(const ToFloat&) {
    if (image.dtype == DType::kF32) return {};
    return Replace([](const Image& in, Image& out) { ConvertToFloat(in, out); });
  }
  Result<void> operator()(const Normalize& normalize) {
    if (auto converted = (*this)(ToFloat{}); !converted) return converted;
    NormalizePixels(normalize, image);
    return {};
  }
  Result<void> operator()(const HwcToChw&) {
    return Replace([](const Image& in, Image& out) { ConvertToChw(in, out); });
  }
};

}  // namespace

Result<void> Apply(const Transform& transform, Rng rng, ApplyScratch& scratch, Image& image) {
  return std::visit(Step{rng, scratch, image}, transform);
}

}  // namespace sluice::image
