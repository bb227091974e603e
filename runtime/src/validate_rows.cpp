#include <algorithm>
#include <cmath>
#include <limits>

#include "scenario_parts.h"
#include "validate.h"

namespace sluice::runtime {
namespace {

constexpr int kMaxSide = 8192;

// What is known about every row at one point of the pipeline.
struct RowForm {
  enum class Is : std::uint8_t { kNothing, kEncoded, kBytes, kHwc, kChw, kUnknown };
  Is is = Is::kUnknown;
  int height = 0, width = 0;  // 0: not known
  bool batched = false;
};

// A message, or nothing where the transform can take the row; then `form` is what leaves it.
using Complaint = std::optional<std::string>;

Complaint NeedsImage(const RowForm& form) {
  switch (form.is) {
    case RowForm::Is::kEncoded:
      return "needs a decoded image; put decode before it";
    case RowForm::Is::kChw:
      return "needs an image in HWC order; put it before hwc_to_chw";
    case RowForm::Is::kNothing:
      return "needs an image, but the rows of a range have no data; use an image source";
    case RowForm::Is::kBytes:
      return "needs an image, but the rows are plain bytes of a synthetic op";
    default:
      return std::nullopt;
  }
}

Complaint Side(std::string_view name, int value, int low = 1) {
  if (value >= low && value <= kMaxSide) return std::nullopt;
  return fmt::format("{} {} is outside {}..{}", name, value, low, kMaxSide);
}

Complaint Interval(std::string_view name, double low, double high, double least, double most) {
  if (low >= least && low <= high && high <= most) return std::nullopt;
  return fmt::format("{} [{}, {}] must be two rising numbers in {}..{}", name, low, high, least, most);
}

Complaint FirstOf(std::initializer_list<Complaint> complaints) {
  for (const Complaint& complaint : complaints) {
    if (complaint) return complaint;
  }
  return std::nullopt;
}

Complaint Sized(RowForm& form, int height, int width) {
  form.height = height;
  form.width = width;
  return FirstOf({Side("height", height), Side("width", width)});
}

Complaint Pass(const image::Decode&, RowForm& form) {
  if (form.is == RowForm::Is::kHwc || form.is == RowForm::Is::kChw) return "the rows are decoded already";
  if (form.is != RowForm::Is::kEncoded && form.is != RowForm::Is::kUnknown) {
    return "needs JPEG or PNG bytes; use an image_folder source";
  }
  form = {.is = RowForm::Is::kHwc};
  return std::nullopt;
}

Complaint Pass(const image::RandomResizedCrop& crop, RowForm& form) {
  return FirstOf({NeedsImage(form), Sized(form, crop.height, crop.width),
                  Interval("scale", crop.scale_min, crop.scale_max, 1e-6, 1),
                  Interval("ratio", crop.ratio_min, crop.ratio_max, 1e-3, 1e3)});
}

Complaint Pass(const image::Resize& resize, RowForm& form) {
  if (auto complaint = FirstOf({NeedsImage(form), Side("width", resize.width, 0)})) return complaint;
  if (resize.width > 0) return Sized(form, resize.height, resize.width);
  form.height = form.width = 0;
  return Side("size", resize.height);
}

Complaint Pass(const image::CenterCrop& crop, RowForm& form) {
  return FirstOf({NeedsImage(form), Sized(form, crop.height, crop.width)});
}

Complaint Pass(const image::RandomCrop& crop, RowForm& form) {
  if (auto complaint = FirstOf({NeedsImage(form), Side("padding", crop.padding, 0)})) return complaint;
  const int height = form.height, width = form.width;
  const int border = 2 * crop.padding;
  if (auto complaint = Sized(form, crop.height, crop.width)) return complaint;
  const bool fits =
      (height == 0 || crop.height <= height + border) && (width == 0 || crop.width <= width + border);
  if (fits) return std::nullopt;
  return fmt::format("a box of {}x{} does not fit into an image of {}x{} with padding {}", crop.height,
                     crop.width, height, width, crop.padding);
}

Complaint Pass(const image::RandomHorizontalFlip& flip, RowForm& form) {
  return FirstOf({NeedsImage(form), Interval("probability", flip.probability, flip.probability, 0, 1)});
}

Complaint Pass(const image::RandomColorAdjust& adjust, RowForm& form) {
  constexpr double kMost = 100;
  return FirstOf({NeedsImage(form),
                  Interval("brightness", adjust.brightness[0], adjust.brightness[1], 0, kMost),
                  Interval("contrast", adjust.contrast[0], adjust.contrast[1], 0, kMost),
                  Interval("saturation", adjust.saturation[0], adjust.saturation[1], 0, kMost),
                  Interval("hue", adjust.hue[0], adjust.hue[1], -0.5, 0.5)});
}

Complaint NeedsNumbers(const RowForm& form) {
  const bool numbers = form.is != RowForm::Is::kEncoded && form.is != RowForm::Is::kNothing;
  return numbers ? std::nullopt : NeedsImage(form);
}

Complaint Pass(const image::ToFloat&, RowForm& form) {
  return NeedsNumbers(form);
}

Complaint Pass(const image::Normalize& normalize, RowForm& form) {
  const auto finite = [](float x) { return std::isfinite(x); };
  if (normalize.mean.size() != 3 || normalize.std.size() != 3) {
    return "mean and std need three numbers each, for red, green and blue";
  }
  if (!std::ranges::all_of(normalize.mean, finite)) return "mean must be finite numbers";
  const auto positive = [](float x) { return std::isfinite(x) && x > 0; };
  if (!std::ranges::all_of(normalize.std, positive)) return "std must be positive numbers";
  return NeedsImage(form);
}

Complaint Pass(const image::HwcToChw&, RowForm& form) {
  if (form.is == RowForm::Is::kChw) return "the rows are in CHW order already";
  if (auto complaint = NeedsImage(form)) return complaint;
  if (form.is == RowForm::Is::kHwc) form.is = RowForm::Is::kChw;
  return std::nullopt;
}

std::optional<Finding> PassOp(const SourceSpec& source, RowForm& form) {
  if (std::holds_alternative<RangeSource>(source.from)) form = {.is = RowForm::Is::kNothing};
  if (std::holds_alternative<CifarSource>(source.from)) form = {RowForm::Is::kHwc, 32, 32, false};
  if (std::holds_alternative<ImageFolderSource>(source.from)) form = {.is = RowForm::Is::kEncoded};
  return std::nullopt;
}

std::optional<Finding> PassOp(const MapSpec& map, RowForm& form) {
  if (form.batched && !map.function) {
    return Finding{"transforms", "work on single rows; put this op before the batch", {}};
  }
  if (map.function) form.is = RowForm::Is::kUnknown;
  for (std::size_t i = 0; i < map.transforms.size(); ++i) {
    const auto pass = [&](const auto& transform) { return Pass(transform, form); };
    const Complaint complaint = std::visit(pass, map.transforms[i]);
    if (complaint) {
      return Finding{"transforms", fmt::format("{}: {}", TransformName(map.transforms[i]), *complaint), i};
    }
  }
  return std::nullopt;
}

std::optional<Finding> PassOp(const SyntheticSpec& synthetic, RowForm& form) {
  if (synthetic.allocate > Bytes{0}) form = {.is = RowForm::Is::kBytes, .batched = form.batched};
  return std::nullopt;
}

std::optional<Finding> PassOp(const BatchSpec&, RowForm& form) {
  if (form.batched) return Finding{"", "rows are in batches already; one batch op is possible", {}};
  form.batched = true;
  return std::nullopt;
}

template <typename S>
std::optional<Finding> PassOp(const S&, RowForm&) {
  return std::nullopt;
}

// Items per epoch behind an op, given those before it. Rows of files are not known: as many as can be.
constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();

std::uint64_t Items(const SourceSpec& source, std::uint64_t) {
  const auto* range = std::get_if<RangeSource>(&source.from);
  if (range == nullptr) return kMany;
  const std::uint64_t count = range->count;
  return count <= source.shard_id ? 0 : (count - source.shard_id - 1) / source.num_shards + 1;
}
std::uint64_t Items(const BatchSpec& batch, std::uint64_t n) {
  return n / batch.size + (!batch.drop_remainder && n % batch.size > 0 ? 1 : 0);
}
std::uint64_t Items(const RepeatSpec& repeat, std::uint64_t n) {
  return n > kMany / repeat.count ? kMany : n * repeat.count;
}
std::uint64_t Items(const TakeSpec& take, std::uint64_t n) {
  return std::min(take.count, n);
}
std::uint64_t Items(const SkipSpec& skip, std::uint64_t n) {
  return n == kMany ? n : n - std::min(n, skip.count);
}
template <typename S>
std::uint64_t Items(const S&, std::uint64_t n) {
  return n;
}

}  // namespace

std::optional<Problem> FindRowProblem(const PipelineDescription& pipeline) {
  RowForm form;
  for (std::size_t i = 0; i < pipeline.ops.size(); ++i) {
    const auto pass = [&](const auto& spec) { return PassOp(spec, form); };
    if (auto wrong = std::visit(pass, pipeline.ops[i].what)) return Problem{i, *wrong};
  }
  return std::nullopt;
}

std::optional<Problem> FindEndlessNothing(const PipelineDescription& pipeline) {
  if (pipeline.epochs != 0) return std::nullopt;
  std::uint64_t items = 0;
  for (std::size_t i = 0; i < pipeline.ops.size(); ++i) {
    items = std::visit([&](const auto& spec) { return Items(spec, items); }, pipeline.ops[i].what);
    if (items > 0) continue;
    return Problem{i, {"", "leaves no item of an epoch, and there are endless epochs", {}}};
  }
  return std::nullopt;
}

}  // namespace sluice::runtime
