// Encoded images for tests, made here so that every kind of JPEG and PNG is at hand. Deterministic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/image/row_program.h"

namespace sluice::image::testing {

using Bytes = std::vector<std::byte>;

// Smooth colours with edges and noise: something that upsampling and resizing do not leave alone.
[[nodiscard]] std::vector<std::uint8_t> Texture(int height, int width, int channels, std::uint64_t seed = 1);

struct JpegStyle {
  int channels = 3;          // 1: grey, 3: colour, 4: CMYK
  int across = 2, down = 2;  // chroma subsampling
  int quality = 90;
  bool progressive = false;
  int restart_rows = 0;
};
[[nodiscard]] Bytes Jpeg(int height, int width, const JpegStyle& style = {}, std::uint64_t seed = 1);
[[nodiscard]] Bytes EncodeJpeg(const std::vector<std::uint8_t>& pixels, int height, int width,
                               const JpegStyle& style);

struct PngStyle {
  int color_type = 2;  // PNG_COLOR_TYPE_RGB
  int bit_depth = 8;
  bool interlaced = false;
};
[[nodiscard]] Bytes EncodePng(const std::vector<std::uint8_t>& pixels, int height, int width,
                              const PngStyle& style = {});

[[nodiscard]] inline TensorView EncodedRow(std::span<const std::byte> bytes) {
  return {bytes.data(), DType::kU8, {{static_cast<std::uint32_t>(bytes.size())}, 1}};
}

// Compiles and runs; the elements of the output, widened. Fails the test on an error.
struct Ran {
  Shape shape;
  std::vector<float> values;
  bool fused = false;
};
[[nodiscard]] Ran RunProgram(std::vector<Transform> transforms, const RowKind& kind, const TensorView& row,
                             const RowSeed& seed, bool fuse);
[[nodiscard]] Ran RunEncoded(std::vector<Transform> transforms, std::span<const std::byte> bytes,
                             const RowSeed& seed = {}, bool fuse = false);

// The largest difference, and how many values differ by more than `tolerance`.
struct Difference {
  float largest = 0;
  std::size_t count = 0;
};
[[nodiscard]] Difference Compare(const std::vector<float>& a, const std::vector<float>& b, float tolerance);

}  // namespace sluice::image::testing
