// FusedPixels: raw u8 images of one known size (CIFAR-10): padded random crop, flip, normalise, to CHW, in
// one pass. Planes, as CIFAR files hold them, are read where they are unless a crop needs padding around.
//
// The plan is immutable and thread-safe; each worker brings its own scratch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "buffer.h"
#include "fused_tail.h"
#include "geometry.h"
#include "image.h"
#include "sluice/image/row_program.h"

namespace sluice::image {

class FusedPixels {
 public:
  // nullopt: the list or the input has another shape.
  [[nodiscard]] static std::optional<FusedPixels> Match(const std::vector<Transform>& transforms,
                                                        const RowKind& input);
  // REQUIRES a row of the input's kind, and room for the output's three planes.
  void Run(const std::uint8_t* pixels, const RowSeed& seed, Buffer& staged, std::span<float> out) const;

 private:
  struct Planes {
    const std::uint8_t* first = nullptr;  // image pixel (0, 0), plane 0
    std::ptrdiff_t row_stride = 0, plane_stride = 0;
  };
  [[nodiscard]] Planes Stage(const std::uint8_t* pixels, Buffer& staged) const;
  void StageRows(const std::uint8_t* pixels, const Planes& at, std::uint8_t* first) const;

  Size size_;
  bool planar_ = false;
  std::optional<RandomCrop> crop_;
  FusedTail tail_;
};

}  // namespace sluice::image
