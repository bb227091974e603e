// What an encoded image is put through: the header parser, the full decode and the fused program. Nothing may
// crash, and a decode that works has the size that the header promised.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sluice/base/check.h"
#include "sluice/image/image_header.h"
#include "sluice/image/row_program.h"

namespace sluice::fuzz {

constexpr std::uint64_t kSlowPixels = 1 << 20;  // larger images only cost time

inline image::RowProgram Compiled(std::vector<image::Transform> transforms) {
  auto program = image::RowProgram::Compile(std::move(transforms), {true, std::nullopt, std::nullopt});
  SLUICE_CHECK(program.has_value());
  return std::move(*program);
}

inline image::RowProgram Training(bool antialias) {
  image::RandomResizedCrop crop;
  crop.height = 20;
  crop.width = 27;
  crop.antialias = antialias;
  return Compiled(
      {image::Decode{}, crop, image::RandomHorizontalFlip{}, image::ToFloat{}, image::HwcToChw{}});
}

inline std::optional<image::Shape> Run(const image::RowProgram& program, const image::TensorView& row,
                                       std::uint64_t index, image::Scratch& scratch) {
  const auto bytes = program.OutputBytes(row);
  if (!bytes) return std::nullopt;
  std::vector<float> out((*bytes + 3) / 4);
  const auto shape = program.Run(row, {0, 0, index, 0}, scratch, std::as_writable_bytes(std::span(out)));
  if (!shape) return std::nullopt;
  SLUICE_CHECK(shape->Elements() * image::SizeOf(*program.output().dtype) <= *bytes);
  return *shape;
}

inline void CheckImage(std::span<const std::byte> bytes) {
  static const image::RowProgram decode = Compiled({image::Decode{}});
  static const image::RowProgram bilinear = Training(false), antialiased = Training(true);
  static image::Scratch scratch;
  const auto header = image::ReadImageHeader(bytes);
  if (header && std::uint64_t{header->width} * header->height > kSlowPixels) return;
  const image::TensorView row{
      bytes.data(), image::DType::kU8, {{static_cast<std::uint32_t>(bytes.size())}, 1}};
  const auto shape = Run(decode, row, 0, scratch);
  if (shape) SLUICE_CHECK(header && shape->Elements() == std::uint64_t{3} * header->width * header->height);
  for (const std::uint64_t index : {1, 2}) {
    Run(bilinear, row, index, scratch);
    Run(antialiased, row, index, scratch);
  }
}

}  // namespace sluice::fuzz
