#include "fused_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "png_reader.h"
#include "row_rng.h"
#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

// Number of transforms after Decode that match `Types`, in order; 0: they do not.
template <typename... Types>
bool StartsWith(const std::vector<Transform>& transforms) {
  std::size_t i = 1;
  return transforms.size() > sizeof...(Types) && (std::holds_alternative<Types>(transforms[i++]) && ...);
}

Box Whole(Size size) {
  return {0, 0, size.height, size.width};
}

// libjpeg writes an aligned row past the caches (non-temporal stores); this one is read at once.
constexpr std::size_t kOffBeat = 8;

std::size_t PixelBytes(int pixels) {
  return static_cast<std::size_t>(pixels) * 4;
}

// Turns source rows, from the top, into output rows as soon as all their sources are there.
class RowBlender {
 public:
  RowBlender(FusedImageScratch& scratch, const Affine& affine, std::span<float> out)
      : scratch_(scratch), affine_(affine), out_(out.data()), kernels_(BestKernels()) {
    ring_rows_ = std::max(1, scratch.rows.taps);
    scratch.filtered.Reserve<float>(static_cast<std::size_t>(ring_rows_) * scratch.packed.row_floats());
    scratch.blend.resize(static_cast<std::size_t>(ring_rows_));
  }

  // `next_row` gives a Result with the pixel at the columns' `begin` of the next source row.
  template <typename NextRow>
  Result<void> Run(NextRow next_row) {
    int next = scratch_.rows.begin;
    for (int y = 0; y < scratch_.rows.size(); ++y) {
      const auto at = static_cast<std::size_t>(y);
      const int first = scratch_.rows.first[at], end = first + scratch_.rows.count[at];
      for (; next < end; ++next) {
        const Result<const std::uint8_t*> row = next_row();
        if (!row) return std::unexpected(row.error());
        if (next >= first) kernels_.filter_row(*row, scratch_.packed, Filtered(next));
      }
      Emit(y, first);
    }
    return {};
  }

 private:
  float* Filtered(int row) const {
    return scratch_.filtered.As<float>() +
           static_cast<std::size_t>(row % ring_rows_) * scratch_.packed.row_floats();
  }

  void Emit(int y, int first) {
    const AxisFilter& rows = scratch_.rows;
    const int count = rows.count[static_cast<std::size_t>(y)];
    for (int k = 0; k < count; ++k) scratch_.blend[static_cast<std::size_t>(k)] = Filtered(first + k);
    const int width = scratch_.packed.width;
    kernels_.blend_rows({scratch_.blend.data(), rows.WeightsOf(y), count}, affine_,
                        {out_ + std::ptrdiff_t{y} * width, std::ptrdiff_t{rows.size()} * width, width});
  }

  FusedImageScratch& scratch_;
  const Affine& affine_;
  float* out_;
  const Kernels& kernels_;
  int ring_rows_ = 1;
};

}  // namespace

std::optional<FusedImage> FusedImage::Match(const std::vector<Transform>& transforms) {
  if (transforms.empty() || !std::holds_alternative<Decode>(transforms[0])) return std::nullopt;
  FusedImage fused;
  std::size_t used = 2;
  fused.cut_position_ = 1;
  if (StartsWith<RandomResizedCrop>(transforms)) {
    fused.cut_ = std::get<RandomResizedCrop>(transforms[1]);
  } else if (StartsWith<Resize, CenterCrop>(transforms)) {
    fused.cut_ = ResizeThenCenter{std::get<Resize>(transforms[1]), std::get<CenterCrop>(transforms[2])};
    used = 3;
  } else if (StartsWith<Resize>(transforms)) {
    fused.cut_ = std::get<Resize>(transforms[1]);
  } else if (StartsWith<CenterCrop>(transforms)) {
    fused.cut_ = std::get<CenterCrop>(transforms[1]);
  } else {
    used = 1;
  }
  const auto tail = MatchTail(transforms, used);
  if (!tail) return std::nullopt;
  fused.tail_ = *tail;
  return fused;
}

FusedImage::Placement FusedImage::Place(Size image, const RowSeed& seed) const {
  const auto place = [image](Size resized, const Box& window, bool antialias) {
    return Placement{Whole(image), resized, window, antialias, false};
  };
  Placement placement = std::visit(
      Overloaded{[&](std::monostate) { return place(image, Whole(image), false); },
                 [&](const RandomResizedCrop& crop) {
                   Rng rng = RowRng(seed, cut_position_);
                   const Size size{crop.height, crop.width};
                   return Placement{DrawResizedCrop(crop, image, rng), size, Whole(size), crop.antialias,
                                    false};
                 },
                 [&](const Resize& resize) {
                   const Size size = ResizedSize(resize, image);
                   return place(size, Whole(size), resize.antialias);
                 },
                 [&](const CenterCrop& crop) { return place(image, CenterBox(crop, image), false); },
                 [&](const ResizeThenCenter& both) {
                   const Size size = ResizedSize(both.resize, image);
                   return place(size, CenterBox(both.crop, size), both.resize.antialias);
                 }},
      cut_);
  if (tail_.flip) {
    Rng rng = RowRng(seed, tail_.flip_position);
    placement.mirrored = DrawFlip(*tail_.flip, rng);
  }
  return placement;
}

Size FusedImage::OutputSize(Size image) const {
  const Box window = Place(image, {}).window;
  return {window.height, window.width};
}

Result<void> FusedImage::RunJpeg(const Placement& placement, JpegReader& jpeg, FusedImageScratch& scratch,
                                 std::span<float> out) const {
  const AxisFilter &rows = scratch.rows, &columns = scratch.columns;
  const Box needed{placement.source.top + rows.begin, placement.source.left + columns.begin,
                   rows.end - rows.begin, columns.end - columns.begin};
  if (auto started = jpeg.Start(PixelLayout::kRgbx, needed); !started) return started;
  const std::size_t used = PixelBytes(jpeg.row_width()), slack = PixelBytes(scratch.packed.slack());
  auto* line = scratch.pixels.Reserve<std::uint8_t>(kOffBeat + used + slack) + kOffBeat;
  std::memset(line + used, 0, slack);
  auto ran = RowBlender(scratch, tail_.affine, out).Run([&]() -> Result<const std::uint8_t*> {
    if (auto read = jpeg.ReadRow(line); !read) return std::unexpected(read.error());
    return line + PixelBytes(jpeg.box_offset());
  });
  jpeg.Close();
  return ran;
}

Result<Size> FusedImage::Run(std::span<const std::byte> bytes, const RowSeed& seed, JpegReader& jpeg,
                             FusedImageScratch& scratch, std::span<float> out) const {
  const auto header = ReadImageHeader(bytes);
  if (!header) return std::unexpected(header.error());
  const bool is_jpeg = header->format == ImageFormat::kJpeg;
  const Result<Size> image =
      is_jpeg ? jpeg.Open(bytes)
              : Result<Size>(Size{static_cast<int>(header->height), static_cast<int>(header->width)});
  if (!image) return image;
  const Placement at = Place(*image, seed);
  const Box& window = at.window;
  if (IsTooLarge(at.resized)) {
    return Fail(fmt::format("Resize: {} x {} would become {} x {}, too large", image->width, image->height,
                            at.resized.width, at.resized.height));
  }
  if (out.size() < static_cast<std::size_t>(window.height) * static_cast<std::size_t>(window.width) * 3) {
    return Fail("the output does not fit its place");
  }
  BuildAxisFilter({at.source.height, at.resized.height, window.top, window.height}, at.antialias,
                  scratch.rows);
  BuildAxisFilter({at.source.width, at.resized.width, window.left, window.width}, at.antialias,
                  scratch.columns);
  PackAxis(scratch.columns, at.mirrored, scratch.packed);
  const Size size{window.height, window.width};
  if (is_jpeg) {
    if (auto ran = RunJpeg(at, jpeg, scratch, out); !ran) return std::unexpected(ran.error());
    return size;
  }
  const auto decoded = ReadPng(bytes, PixelLayout::kRgbx, PixelBytes(scratch.packed.slack()), scratch.pixels);
  if (!decoded) return decoded;
  const auto stride = static_cast<std::ptrdiff_t>(PixelBytes(decoded->width));
  const auto* row = scratch.pixels.As<const std::uint8_t>() + stride * (at.source.top + scratch.rows.begin) +
                    PixelBytes(at.source.left + scratch.columns.begin) - stride;
  auto ran = RowBlender(scratch, tail_.affine, out).Run([&]() -> Result<const std::uint8_t*> {
    return row += stride;
  });
  if (!ran) return std::unexpected(ran.error());
  return size;
}

}  // namespace sluice::image
