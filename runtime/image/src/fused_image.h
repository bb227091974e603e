// FusedImage: Decode, one way of cutting and resizing, flip, normalise, to CHW, in one pass over the rows
// that the result needs: each decoded row is filtered while it is in cache and the image as a whole is
// never stored.
//
// The plan is immutable and thread-safe; each worker brings its own scratch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "axis_filter.h"
#include "buffer.h"
#include "fused_tail.h"
#include "geometry.h"
#include "jpeg_reader.h"
#include "kernels.h"
#include "sluice/base/error.h"
#include "sluice/image/row_program.h"

namespace sluice::image {

struct FusedImageScratch {
  AxisFilter rows, columns;
  PackedAxis packed;
  Buffer pixels;    // one decoded row, or a whole PNG
  Buffer filtered;  // as many filtered rows as an output row blends
  std::vector<const float*> blend;
};

class FusedImage {
 public:
  // nullopt: the list has another shape.
  [[nodiscard]] static std::optional<FusedImage> Match(const std::vector<Transform>& transforms);

  [[nodiscard]] Size OutputSize(Size image) const;
  // REQUIRES room for OutputSize in `out`, three planes.
  [[nodiscard]] Result<Size> Run(std::span<const std::byte> bytes, const RowSeed& seed, JpegReader& jpeg,
                                 FusedImageScratch& scratch, std::span<float> out) const;

 private:
  struct ResizeThenCenter {
    Resize resize;
    CenterCrop crop;
  };
  using Cut = std::variant<std::monostate, RandomResizedCrop, Resize, CenterCrop, ResizeThenCenter>;
  // The source box, what it is resized to, and the window of that which is kept.
  struct Placement {
    Box source;
    Size resized;
    Box window;
    bool antialias = false;
    bool mirrored = false;
  };

  [[nodiscard]] Placement Place(Size image, const RowSeed& seed) const;
  [[nodiscard]] Result<void> RunJpeg(const Placement& placement, JpegReader& jpeg, FusedImageScratch& scratch,
                                     std::span<float> out) const;

  Cut cut_;
  std::size_t cut_position_ = 0;
  FusedTail tail_;
};

}  // namespace sluice::image
