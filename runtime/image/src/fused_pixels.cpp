#include "fused_pixels.h"

#include <cstring>

#include "kernels.h"
#include "row_kinds.h"
#include "row_rng.h"

namespace sluice::image {
namespace {

// `width` is a parameter so that a constant needs no call per row.
[[gnu::always_inline]] inline void CopyRows(const std::uint8_t* from, std::size_t width, int rows,
                                            std::uint8_t* to, std::ptrdiff_t stride) {
  for (int y = 0; y < rows; ++y, from += width, to += stride) std::memcpy(to, from, width);
}

void CopyPlane(const std::uint8_t* from, Size size, std::uint8_t* to, std::ptrdiff_t stride) {
  constexpr int kCifarWidth = 32;
  if (size.width == kCifarWidth) return CopyRows(from, kCifarWidth, size.height, to, stride);
  CopyRows(from, static_cast<std::size_t>(size.width), size.height, to, stride);
}

}  // namespace

std::optional<FusedPixels> FusedPixels::Match(const std::vector<Transform>& transforms,
                                              const RowKind& input) {
  if (input.encoded || input.dtype != DType::kU8 || !input.shape) return std::nullopt;
  const auto size = ImageSize(*input.shape, input.planar);
  if (!size || transforms.empty()) return std::nullopt;
  FusedPixels fused;
  fused.size_ = *size;
  fused.planar_ = input.planar;
  if (const auto* crop = std::get_if<RandomCrop>(&transforms[0])) fused.crop_ = *crop;
  const auto tail = MatchTail(transforms, fused.crop_ ? 1 : 0);
  if (!tail) return std::nullopt;
  fused.tail_ = *tail;
  return fused;
}

void FusedPixels::StageRows(const std::uint8_t* pixels, const Planes& at, std::uint8_t* first) const {
  const std::ptrdiff_t width = size_.width, height = size_.height;
  for (int c = 0; planar_ && c < kChannels; ++c) {
    CopyPlane(pixels + c * height * width, size_, first + c * at.plane_stride, at.row_stride);
  }
  for (int y = 0; !planar_ && y < size_.height; ++y) {
    BestKernels().split_rgb(pixels + y * width * kChannels, size_.width, first + y * at.row_stride,
                            at.plane_stride);
  }
}

FusedPixels::Planes FusedPixels::Stage(const std::uint8_t* pixels, Buffer& staged) const {
  const std::ptrdiff_t pad = crop_ ? crop_->padding : 0;
  if (planar_ && pad == 0) {
    return {pixels, size_.width, static_cast<std::ptrdiff_t>(size_.width) * size_.height};
  }
  Planes planes;
  planes.row_stride = size_.width + 2 * pad;
  planes.plane_stride = planes.row_stride * (size_.height + 2 * pad);
  const auto bytes = static_cast<std::size_t>(planes.plane_stride * kChannels);
  auto* all = staged.Reserve<std::uint8_t>(bytes);
  if (crop_ && pad > 0) std::memset(all, crop_->fill, bytes);
  auto* first = all + pad * planes.row_stride + pad;
  StageRows(pixels, planes, first);
  planes.first = first;
  return planes;
}

void FusedPixels::Run(const std::uint8_t* pixels, const RowSeed& seed, Buffer& staged,
                      std::span<float> out) const {
  Box box{0, 0, size_.height, size_.width};
  if (crop_) {
    Rng rng = RowRng(seed, 0);
    box = DrawRandomCrop(*crop_, size_, rng);
  }
  bool mirrored = false;
  if (tail_.flip) {
    Rng rng = RowRng(seed, tail_.flip_position);
    mirrored = DrawFlip(*tail_.flip, rng);
  }
  const Planes planes = Stage(pixels, staged);
  const std::ptrdiff_t plane_out = static_cast<std::ptrdiff_t>(box.height) * box.width;
  for (int c = 0; c < kChannels; ++c) {
    const auto* first = planes.first + c * planes.plane_stride + box.top * planes.row_stride + box.left;
    const auto channel = static_cast<std::size_t>(c);
    BestKernels().convert_plane({first, planes.row_stride, box.height, box.width, mirrored},
                                tail_.affine.scale[channel], tail_.affine.offset[channel],
                                out.data() + c * plane_out);
  }
}

}  // namespace sluice::image
