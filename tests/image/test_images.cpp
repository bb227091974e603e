#include "image/test_images.h"

// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sluice/base/check.h"
#include "sluice/base/rng.h"

namespace sluice::image::testing {
namespace {

J_COLOR_SPACE ColorSpace(int channels) {
  return channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
}

void Configure(jpeg_compress_struct& jpeg, int height, int width, const JpegStyle& style) {
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.input_components = style.channels;
  jpeg.in_color_space = ColorSpace(style.channels);
  jpeg_set_defaults(&jpeg);
  if (style.channels == 4) jpeg_set_colorspace(&jpeg, JCS_YCCK);
  jpeg_set_quality(&jpeg, style.quality, TRUE);
  if (style.channels > 1) {
    jpeg.comp_info[0].h_samp_factor = style.across;
    jpeg.comp_info[0].v_samp_factor = style.down;
    if (style.channels == 4) jpeg.comp_info[3] = jpeg.comp_info[0], jpeg.comp_info[3].component_id = 4;
  }
  jpeg.restart_in_rows = style.restart_rows;
  if (style.progressive) jpeg_simple_progression(&jpeg);
}

void AppendPng(png_structp png, png_bytep data, std::size_t count) {
  auto* out = static_cast<Bytes*>(png_get_io_ptr(png));
  const auto* from = reinterpret_cast<const std::byte*>(data);
  out->insert(out->end(), from, from + count);
}

float ValueAt(std::span<const std::byte> bytes, std::size_t i, DType dtype) {
  if (dtype == DType::kU8) return std::to_integer<int>(bytes[i]);
  return reinterpret_cast<const float*>(bytes.data())[i];
}

}  // namespace

std::vector<std::uint8_t> Texture(int height, int width, int channels, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint8_t> pixels;
  const double fx = rng.Uniform(0.02, 0.3), fy = rng.Uniform(0.02, 0.3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double edge = (x / 13 + y / 9) % 3 == 0 ? 60 : -20;
      for (int c = 0; c < channels; ++c) {
        const double wave = 90 * std::sin(fx * x + 1.7 * c) * std::cos(fy * y - c);
        pixels.push_back(static_cast<std::uint8_t>(
            std::clamp(128 + wave + (c == 1 ? -edge : edge) + rng.Uniform(-25, 25), 0.0, 255.0)));
      }
    }
  }
  return pixels;
}

Bytes EncodeJpeg(const std::vector<std::uint8_t>& pixels, int height, int width, const JpegStyle& style) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr error{};
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  Configure(jpeg, height, width, style);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t stride = static_cast<std::size_t>(width) * static_cast<std::size_t>(style.channels);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = const_cast<std::uint8_t*>(pixels.data()) + jpeg.next_scanline * stride;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  Bytes encoded(bytes, bytes + size);
  std::free(data);
  return encoded;
}

Bytes Jpeg(int height, int width, const JpegStyle& style, std::uint64_t seed) {
  return EncodeJpeg(Texture(height, width, style.channels, seed), height, width, style);
}

Bytes EncodePng(const std::vector<std::uint8_t>& pixels, int height, int width, const PngStyle& style) {
  Bytes encoded;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &encoded, AppendPng, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), style.bit_depth,
               style.color_type, style.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_color palette[256];
  for (int i = 0; i < 256; ++i) {
    palette[i] = {static_cast<png_byte>(i), static_cast<png_byte>(255 - i), static_cast<png_byte>(i / 2)};
  }
  if (style.color_type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 256);
  std::vector<png_bytep> rows;
  const std::size_t stride = pixels.size() / static_cast<std::size_t>(height);
  rows.reserve(height);
  for (int y = 0; y < height; ++y) {
    rows.push_back(const_cast<png_bytep>(pixels.data()) + static_cast<std::size_t>(y) * stride);
  }
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return encoded;
}

Ran RunProgram(std::vector<Transform> transforms, const RowKind& kind, const TensorView& row,
               const RowSeed& seed, bool fuse) {
  const auto program = RowProgram::Compile(std::move(transforms), kind, fuse);
  if (!program) std::fprintf(stderr, "Compile: %s\n", program.error().message.c_str());
  SLUICE_CHECK(program.has_value());
  const auto bytes = program->OutputBytes(row);
  if (!bytes) std::fprintf(stderr, "OutputBytes: %s\n", bytes.error().message.c_str());
  SLUICE_CHECK(bytes.has_value());
  std::vector<float> memory((*bytes + 3) / 4);
  const std::span out(reinterpret_cast<std::byte*>(memory.data()), *bytes);
  Scratch scratch;
  const auto shape = program->Run(row, seed, scratch, out);
  if (!shape) std::fprintf(stderr, "Run: %s\n", shape.error().message.c_str());
  SLUICE_CHECK(shape.has_value());
  Ran ran{*shape, {}, program->fused()};
  const DType dtype = program->output().dtype.value_or(DType::kU8);
  for (std::size_t i = 0; i < shape->Elements(); ++i) ran.values.push_back(ValueAt(out, i, dtype));
  return ran;
}

Ran RunEncoded(std::vector<Transform> transforms, std::span<const std::byte> bytes, const RowSeed& seed,
               bool fuse) {
  return RunProgram(std::move(transforms), {true, std::nullopt, std::nullopt}, EncodedRow(bytes), seed, fuse);
}

Difference Compare(const std::vector<float>& a, const std::vector<float>& b, float tolerance) {
  SLUICE_CHECK(a.size() == b.size());
  Difference difference;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float d = std::abs(a[i] - b[i]);
    difference.largest = std::max(difference.largest, d);
    difference.count += d <= tolerance ? 0 : 1;
  }
  return difference;
}

}  // namespace sluice::image::testing
