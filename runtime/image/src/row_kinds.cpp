#include "row_kinds.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "image.h"
#include "sluice/base/check.h"
#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

constexpr int kMaxSide = 1 << 16;
constexpr std::size_t kMaxTransforms = 64;  // each has its own stream of random draws

bool IsRange(double low, double high, double least, double most) {
  return low >= least && high <= most && low <= high;  // false for NaN
}
bool IsRange(const double (&range)[2], double least, double most) {
  return IsRange(range[0], range[1], least, most);
}
bool IsSide(int side) {
  return side >= 1 && side <= kMaxSide;
}
bool IsSize(int height, int width) {
  return IsSide(height) && IsSide(width) && !IsTooLarge({height, width});
}
constexpr const char* kWrongSize = "height and width must be 1..65536, and 2^28 pixels at most";

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::min();

// What is wrong with a transform's own settings; empty: nothing.
struct Settings {
  std::string operator()(const RandomResizedCrop& crop) const {
    if (!IsSize(crop.height, crop.width)) return kWrongSize;
    if (!IsRange(crop.scale_min, crop.scale_max, kSmallest, kLargest)) return "scale needs 0 < min <= max";
    if (!IsRange(crop.ratio_min, crop.ratio_max, kSmallest, kLargest)) return "ratio needs 0 < min <= max";
    return "";
  }
  std::string operator()(const Resize& resize) const {
    const int width = resize.width == 0 ? 1 : resize.width;
    return IsSize(resize.height, width) ? "" : kWrongSize;
  }
  std::string operator()(const CenterCrop& crop) const {
    return IsSize(crop.height, crop.width) ? "" : kWrongSize;
  }
  std::string operator()(const RandomCrop& crop) const {
    if (!IsSize(crop.height, crop.width)) return kWrongSize;
    return crop.padding >= 0 && crop.padding <= kMaxSide ? "" : "padding must be 0..65536";
  }
  std::string operator()(const RandomHorizontalFlip& flip) const {
    return IsRange(flip.probability, flip.probability, 0, 1) ? "" : "probability must be 0..1";
  }
  std::string operator()(const RandomColorAdjust& adjust) const {
    for (const auto* range : {&adjust.brightness, &adjust.contrast, &adjust.saturation}) {
      if (!IsRange(*range, 0, kLargest)) return "factors need 0 <= low <= high";
    }
    return IsRange(adjust.hue, -0.5, 0.5) ? "" : "hue needs -0.5 <= low <= high <= 0.5";
  }
  std::string operator()(const Normalize& normalize) const {
    if (normalize.mean.size() != kChannels || normalize.std.size() != kChannels) {
      return "mean and std need 3 values each";
    }
    for (const float value : normalize.std) {
      if (!(std::abs(value) > 0 && std::abs(value) < kInfinity)) return "std must not be 0";
    }
    for (const float value : normalize.mean) {
      if (!std::isfinite(value)) return "mean must be finite";
    }
    return "";
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

struct SizeStep {
  Size size;
  Size operator()(const RandomResizedCrop& crop) const { return {crop.height, crop.width}; }
  Size operator()(const Resize& resize) const { return ResizedSize(resize, size); }
  Size operator()(const CenterCrop& crop) const { return {crop.height, crop.width}; }
  Size operator()(const RandomCrop& crop) const { return {crop.height, crop.width}; }
  template <typename Other>
  Size operator()(const Other&) const {
    return size;
  }
};

template <typename... Types>
bool Is(const Transform& transform) {
  return (std::holds_alternative<Types>(transform) || ...);
}

// What an image transform cannot take about the kind; empty: it can.
std::string WrongInput(const Transform& transform, const RowKind& kind, bool chw) {
  if (Is<Decode>(transform))
    return kind.encoded ? "" : "takes encoded bytes, and the image is decoded already";
  if (kind.encoded) return "takes an image, not encoded bytes: put Decode before it";
  if (kind.dtype == DType::kI64) return "takes an image of u8 or f32, not i64";
  if (chw && !Is<RandomHorizontalFlip, ToFloat, Normalize>(transform)) {
    return "takes an HWC image: put it before HwcToChw";
  }
  return "";
}

std::string WrongSize(const Transform& transform, const RowKind& kind) {
  const auto* crop = std::get_if<RandomCrop>(&transform);
  if (crop == nullptr || !kind.shape) return "";
  const auto size = ImageSize(*kind.shape, kind.planar);
  if (!size || FitsPadded(*crop, *size)) return "";
  return fmt::format("an image of {} x {} with padding {} is smaller than the crop {} x {}", size->width,
                     size->height, crop->padding, crop->width, crop->height);
}

std::string WrongShape(const RowKind& input) {
  if (input.encoded || !input.shape || ImageSize(*input.shape, input.planar)) return "";
  return fmt::format("takes images of 3 channels ({}), not rank {} with {} elements",
                     input.planar ? "3 x height x width" : "height x width x 3",
                     static_cast<int>(input.shape->rank), input.shape->Elements());
}

RowKind KindAfter(const Transform& transform, RowKind kind) {
  if (Is<Decode>(transform)) kind = {false, DType::kU8, std::nullopt, false};
  if (Is<ToFloat, Normalize>(transform)) kind.dtype = DType::kF32;
  const bool planar = kind.planar || Is<HwcToChw>(transform);
  if (kind.shape) {
    const auto before = ImageSize(*kind.shape, kind.planar);
    SLUICE_CHECK(before);
    const auto size = std::visit(SizeStep{*before}, transform);
    kind.shape = ImageShape(size, planar);
  } else if (Is<RandomResizedCrop, CenterCrop, RandomCrop>(transform)) {
    kind.shape = ImageShape(std::visit(SizeStep{}, transform), planar);
  } else if (const auto* resize = std::get_if<Resize>(&transform); resize && resize->width != 0) {
    kind.shape = ImageShape({resize->height, resize->width}, planar);
  }
  kind.planar = planar;
  return kind;
}

RowKind AsHwc(RowKind kind) {
  if (kind.planar && kind.shape) {
    const auto size = ImageSize(*kind.shape, true);
    SLUICE_CHECK(size);
    kind.shape = ImageShape(*size, false);
  }
  kind.planar = false;
  return kind;
}

std::string Problem(const Transform& transform, const RowKind& kind) {
  std::string problem = std::visit(Settings{}, transform);
  if (problem.empty()) problem = WrongInput(transform, kind, kind.planar);
  if (problem.empty()) problem = WrongShape(kind);
  if (problem.empty()) problem = WrongSize(transform, kind);
  return problem;
}

}  // namespace

std::string_view NameOf(const Transform& transform) {
  static constexpr std::array<std::string_view, std::variant_size_v<Transform>> kNames = {
      "Decode",
      "RandomResizedCrop",
      "Resize",
      "CenterCrop",
      "RandomCrop",
      "RandomHorizontalFlip",
      "RandomColorAdjust",
      "ToFloat",
      "Normalize",
      "HwcToChw"};
  return kNames[transform.index()];
}

Shape ImageShape(Size size, bool planar) {
  const auto height = static_cast<std::uint32_t>(size.height), width = static_cast<std::uint32_t>(size.width);
  return planar ? Shape{{kChannels, height, width}, 3} : Shape{{height, width, kChannels}, 3};
}

std::optional<Size> ImageSize(const Shape& shape, bool planar) {
  const auto [height, width, channels] = planar ? std::array{shape.dims[1], shape.dims[2], shape.dims[0]}
                                                : std::array{shape.dims[0], shape.dims[1], shape.dims[2]};
  if (shape.rank != 3 || channels != kChannels || height == 0 || width == 0) return std::nullopt;
  if (std::uint64_t{height} * width > kMaxPixels) return std::nullopt;
  return Size{static_cast<int>(height), static_cast<int>(width)};
}

Result<RowKind> OutputKind(const std::vector<Transform>& transforms, const RowKind& input) {
  if (!input.encoded && !input.dtype) return Fail("rows that are not encoded need a dtype");
  if (transforms.size() > kMaxTransforms) return Fail(fmt::format("more than {} transforms", kMaxTransforms));
  if (transforms.empty()) return input;
  if (const auto wrong = WrongShape(input); !wrong.empty()) {
    return Fail(fmt::format("{} (transform 1) {}", NameOf(transforms.front()), wrong));
  }
  RowKind kind = AsHwc(input);
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    if (const auto problem = Problem(transforms[i], kind); !problem.empty()) {
      return Fail(fmt::format("{} (transform {}): {}", NameOf(transforms[i]), i + 1, problem));
    }
    kind = KindAfter(transforms[i], kind);
  }
  return kind;
}

Size SizeAfter(const std::vector<Transform>& transforms, Size size) {
  for (const auto& transform : transforms) size = std::visit(SizeStep{size}, transform);
  return size;
}

}  // namespace sluice::image
