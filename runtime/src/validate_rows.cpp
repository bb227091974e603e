#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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
  std::size_t columns = 1;  // of a zip: how many
  std::uint32_t one_hot = 0;
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
  form.is = RowForm::Is::kHwc;
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
  if (std::holds_alternative<CifarSource>(source.from)) form = {RowForm::Is::kHwc, 32, 32};
  if (std::holds_alternative<ImageFolderSource>(source.from)) form = {.is = RowForm::Is::kEncoded};
  return std::nullopt;
}

std::optional<Finding> PassOp(const MapSpec& map, RowForm& form) {
  if (form.batched && !map.function) {
    return Finding{"transforms", "work on single rows; put this op before the batch", {}};
  }
  if (map.function) form.is = RowForm::Is::kUnknown;
  if (map.one_hot > 0) form.one_hot = map.one_hot;
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
  if (synthetic.allocate > Bytes{0}) {
    form = {.is = RowForm::Is::kBytes, .batched = form.batched, .one_hot = form.one_hot};
  }
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

// Of the form of a join's first input and that of another one.
Complaint JoinsWith(const RowForm& first, const RowForm& other, bool concat) {
  if (first.batched != other.batched) {
    return "some of them give batches and some single rows; batch each of them, or none and put the batch "
           "behind";
  }
  if (!concat) return std::nullopt;
  if (first.columns != other.columns) {
    return fmt::format("their items have {} and {} columns; a concat needs as many of each", first.columns,
                       other.columns);
  }
  if (first.one_hot == other.one_hot) return std::nullopt;
  return fmt::format("one_hot is {} before one of them and {} before another; use the same, or put it behind",
                     first.one_hot, other.one_hot);
}

std::optional<Finding> Join(RowForm& form, std::span<const RowForm> others, bool concat) {
  for (const RowForm& other : others) {
    if (const auto complaint = JoinsWith(form, other, concat)) return Finding{"inputs", *complaint, {}};
    if (!concat) {
      form.columns += other.columns;
      continue;
    }
    if (form.is != other.is) form.is = RowForm::Is::kUnknown;
    if (form.height != other.height || form.width != other.width) form.height = form.width = 0;
  }
  return std::nullopt;
}

// Items per epoch behind an op, given those behind the ops before it. Rows of files are not known: as many as
// can be.
constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
using Counts = std::vector<std::uint64_t>;

std::uint64_t Items(const SourceSpec& source, const Counts&) {
  const auto* range = std::get_if<RangeSource>(&source.from);
  if (range == nullptr) return kMany;
  const std::uint64_t count = range->count;
  return count <= source.shard_id ? 0 : (count - source.shard_id - 1) / source.num_shards + 1;
}
std::uint64_t Items(const BatchSpec& batch, const Counts& n) {
  return n[0] / batch.size + (!batch.drop_remainder && n[0] % batch.size > 0 ? 1 : 0);
}
std::uint64_t Items(const RepeatSpec& repeat, const Counts& n) {
  return n[0] > kMany / repeat.count ? kMany : n[0] * repeat.count;
}
std::uint64_t Items(const TakeSpec& take, const Counts& n) {
  return std::min(take.count, n[0]);
}
std::uint64_t Items(const SkipSpec& skip, const Counts& n) {
  return n[0] == kMany ? n[0] : n[0] - std::min(n[0], skip.count);
}
std::uint64_t Items(const ZipSpec&, const Counts& n) {
  return std::ranges::min(n);
}
std::uint64_t Items(const ConcatSpec&, const Counts& n) {
  std::uint64_t all = 0;
  for (const std::uint64_t items : n) all = items > kMany - all ? kMany : all + items;
  return all;
}
template <typename S>
std::uint64_t Items(const S&, const Counts& n) {
  return n[0];
}

bool ClosesUp(const OpSpec& op) {
  return std::holds_alternative<ShuffleSpec>(op.what) || std::holds_alternative<BatchSpec>(op.what) ||
         std::holds_alternative<TakeSpec>(op.what) || std::holds_alternative<SkipSpec>(op.what);
}

}  // namespace

std::optional<Problem> FindRowProblem(const PipelineDescription& pipeline) {
  const auto inputs = InputsOf(pipeline);
  std::vector<RowForm> forms;
  for (std::size_t i = 0; i < pipeline.ops.size(); ++i) {
    const OpSpec& op = pipeline.ops[i];
    RowForm form = inputs[i].empty() ? RowForm{} : forms[inputs[i][0]];
    const auto pass = [&](const auto& spec) { return PassOp(spec, form); };
    auto wrong = std::visit(pass, op.what);
    if (Joins(op)) {
      std::vector<RowForm> others;
      for (const std::size_t input : std::span(inputs[i]).subspan(1)) others.push_back(forms[input]);
      wrong = Join(form, others, std::holds_alternative<ConcatSpec>(op.what));
    }
    if (wrong) return Problem{i, *wrong};
    forms.push_back(form);
  }
  return std::nullopt;
}

// A zip pairs items by their places: nothing before it may shift them, or give them another place in every
// run.
std::optional<Problem> FindMixedPairs(const PipelineDescription& pipeline) {
  const auto takers = TakersOf(pipeline);
  for (std::size_t from = 0; from < pipeline.ops.size(); ++from) {
    const bool unordered = !pipeline.ops[from].ordered;
    const bool leaves_out = pipeline.ops[from].on_error == ErrorPolicy::kSkip;
    bool closed_up = false;
    for (std::size_t i = takers[from]; (unordered || leaves_out) && i < takers.size(); i = takers[i]) {
      const OpSpec& op = pipeline.ops[i];
      closed_up = closed_up || ClosesUp(op);
      if (!std::holds_alternative<ZipSpec>(op.what)) continue;
      const std::string zip = OpNames(pipeline)[i];
      if (unordered) {
        return Problem{from,
                       {"ordered",
                        fmt::format("false would pair items of '{}' anew in every run; leave it out", zip),
                        {}}};
      }
      if (closed_up) {
        return Problem{
            from,
            {"on_error",
             fmt::format("'skip' would shift the items that '{}' pairs, as an op before it closes up; "
                         "use 'replace', or put shuffle, batch, take and skip behind the zip",
                         zip),
             {}}};
      }
    }
  }
  return std::nullopt;
}

std::optional<Problem> FindEndlessNothing(const PipelineDescription& pipeline) {
  if (pipeline.epochs != 0) return std::nullopt;
  const auto inputs = InputsOf(pipeline);
  Counts items;
  for (std::size_t i = 0; i < pipeline.ops.size(); ++i) {
    Counts before;
    for (const std::size_t input : inputs[i]) before.push_back(items[input]);
    items.push_back(std::visit([&](const auto& spec) { return Items(spec, before); }, pipeline.ops[i].what));
  }
  const auto takers = TakersOf(pipeline);
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool nothing = true;  // nor behind it, where a concat may have others' items
    for (std::size_t at = i; nothing && at < items.size(); at = takers[at]) nothing = items[at] == 0;
    if (nothing) return Problem{i, {"", "leaves no item of an epoch, and there are endless epochs", {}}};
  }
  return std::nullopt;
}

}  // namespace sluice::runtime
