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

inline RowProgram Compiled(std::vector<Transform> transforms) {
  auto program = RowProgram::Compile(std::move(transforms), {true, std::nullopt, std::nullopt});
  SLUICE_CHECK(program.has_value());
  return std::move(*program);
}

inline RowProgram Training(bool antialias) {
  RandomResizedCrop crop;
  crop.height = 20;
  crop.width = 27;
  crop.antialias = antialias;
  return Compiled({Decode{}, crop, RandomHorizontalFlip{}, ToFloat{}, HwcToChw{}});
}

inline std::optional<Shape> Run(const RowProgram& program, const TensorView& row, std::uint64_t index,
                                Scratch& scratch) {
  const auto bytes = program.OutputBytes(row);
  if (!bytes) return std::nullopt;
  std::vector<float> out((*bytes + 3) / 4);
  const auto shape = program.Run(row, {0, 0, index, 0}, scratch, std::as_writable_bytes(std::span(out)));
  if (!shape) return std::nullopt;
  SLUICE_CHECK(shape->Elements() * SizeOf(*program.output().dtype) <= *bytes);
  return *shape;
}

inline void CheckImage(std::span<const std::byte> bytes) {
  static const RowProgram decode = Compiled({Decode{}});
  static const RowProgram bilinear = Training(false), antialiased = Training(true);
  static Scratch scratch;
  const auto header = ReadImageHeader(bytes);
  if (header && std::uint64_t{header->width} * header->height > kSlowPixels) return;
  const TensorView row{bytes.data(), DType::kU8, {{static_cast<std::uint32_t>(bytes.size())}, 1}};
  const auto shape = Run(decode, row, 0, scratch);
  if (shape) SLUICE_CHECK(header && shape->Elements() == std::uint64_t{3} * header->width * header->height);
  for (const std::uint64_t index : {1, 2}) {
    Run(bilinear, row, index, scratch);
    Run(antialiased, row, index, scratch);
  }
}

}  // namespace sluice::fuzz
