#include "sluice/image/row_program.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "apply.h"
#include "decode.h"
#include "fused_image.h"
#include "fused_pixels.h"
#include "pixel_ops.h"
#include "row_kinds.h"
#include "row_rng.h"
#include "sluice/base/check.h"
#include "sluice/image/image_header.h"

namespace sluice::image {

struct Scratch::Impl {
  JpegReader jpeg;
  Image current;
  ApplyScratch apply;
  FusedImageScratch fused;
  Buffer staged;
};

Scratch::Scratch() : impl_(std::make_unique<Impl>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

namespace {

std::string_view NameOfType(DType type) {
  return type == DType::kU8 ? "u8" : type == DType::kF32 ? "f32" : "i64";
}

Result<void> CheckRow(const TensorView& in, const RowKind& kind) {
  SLUICE_CHECK(kind.encoded || kind.dtype);
  const DType wanted = kind.encoded ? DType::kU8 : *kind.dtype;
  if (in.dtype != wanted) {
    return Fail(fmt::format("the row is {}, not {}", NameOfType(in.dtype), NameOfType(wanted)));
  }
  if (kind.encoded && in.shape.rank != 1) return Fail("encoded bytes must have rank 1");
  if (kind.shape && !(in.shape == *kind.shape)) return Fail("the row's shape is not the declared one");
  return {};
}

std::span<const std::byte> BytesOf(const TensorView& in) {
  return {in.data, in.Size()};
}

Result<void> CheckRoom(std::size_t needed, std::span<std::byte> out) {
  if (needed <= out.size()) return {};
  return Fail(fmt::format("the row needs {} bytes, and {} were given", needed, out.size()));
}

std::span<float> Floats(std::span<std::byte> bytes) {
  SLUICE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(float) == 0);
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Result<void> LoadImage(const TensorView& in, bool planar, Image& spare, Image& out) {
  const auto size = ImageSize(in.shape, planar);
  if (!size) return Fail("the row is not an image of 3 channels");
  Image& loaded = planar ? spare : out;
  loaded.Reset(*size, in.dtype, planar);
  std::memcpy(loaded.Data<std::byte>(), in.data, in.Size());
  if (planar) ConvertToHwc(spare, out);
  return {};
}

}  // namespace

struct RowProgram::Impl {
  std::vector<Transform> transforms;
  RowKind input, output;
  std::optional<FusedImage> image;
  std::optional<FusedPixels> pixels;

  Result<Shape> Copy(const TensorView& in, std::span<std::byte> out) const;
  Result<Shape> RunPixels(const TensorView& in, const RowSeed& seed, Scratch::Impl& scratch,
                          std::span<std::byte> out) const;
  Result<Shape> RunUnfused(const TensorView& in, const RowSeed& seed, Scratch::Impl& scratch,
                           std::span<std::byte> out) const;
  Result<Size> RowSize(const TensorView& in) const;
};

Result<Shape> RowProgram::Impl::Copy(const TensorView& in, std::span<std::byte> out) const {
  if (auto room = CheckRoom(in.Size(), out); !room) return std::unexpected(room.error());
  std::memcpy(out.data(), in.data, in.Size());
  return in.shape;
}

Result<Shape> RowProgram::Impl::RunPixels(const TensorView& in, const RowSeed& seed, Scratch::Impl& scratch,
                                          std::span<std::byte> out) const {
  SLUICE_CHECK(pixels && output.shape);
  const std::size_t needed = output.shape->Elements() * sizeof(float);
  if (auto room = CheckRoom(needed, out); !room) return std::unexpected(room.error());
  pixels->Run(reinterpret_cast<const std::uint8_t*>(in.data), seed, scratch.staged, Floats(out));
  return *output.shape;
}

Result<Shape> RowProgram::Impl::RunUnfused(const TensorView& in, const RowSeed& seed, Scratch::Impl& scratch,
                                           std::span<std::byte> out) const {
  Image& current = scratch.current;
  auto loaded = input.encoded ? DecodeImage(BytesOf(in), scratch.jpeg, current)
                              : LoadImage(in, input.planar, scratch.apply.spare, current);
  if (!loaded) return std::unexpected(loaded.error());
  for (std::size_t i = input.encoded ? 1 : 0; i < transforms.size(); ++i) {
    auto applied = Apply(transforms[i], RowRng(seed, i), scratch.apply, current);
    if (!applied) return std::unexpected(applied.error());
  }
  if (auto room = CheckRoom(current.Bytes(), out); !room) return std::unexpected(room.error());
  std::memcpy(out.data(), current.Data<std::byte>(), current.Bytes());
  return ImageShape(current.size, current.planar);
}

Result<Size> RowProgram::Impl::RowSize(const TensorView& in) const {
  if (input.encoded) {
    const auto header = ReadImageHeader(BytesOf(in));
    if (!header) return std::unexpected(header.error());
    return Size{static_cast<int>(header->height), static_cast<int>(header->width)};
  }
  if (const auto size = ImageSize(in.shape, input.planar)) return *size;
  return Fail("the row is not an image of 3 channels");
}

RowProgram::RowProgram(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
RowProgram::RowProgram(RowProgram&&) noexcept = default;
RowProgram& RowProgram::operator=(RowProgram&&) noexcept = default;
RowProgram::~RowProgram() = default;

Result<RowProgram> RowProgram::Compile(std::vector<Transform> transforms, RowKind input, bool fuse) {
  auto output = OutputKind(transforms, input);
  if (!output) return std::unexpected(output.error());
  auto impl = std::make_unique<Impl>();
  if (fuse && input.encoded) impl->image = FusedImage::Match(transforms);
  if (fuse && !input.encoded) impl->pixels = FusedPixels::Match(transforms, input);
  impl->transforms = std::move(transforms);
  impl->input = input;
  impl->output = *output;
  return RowProgram(std::move(impl));
}

const RowKind& RowProgram::output() const {
  return impl_->output;
}
bool RowProgram::fused() const {
  return impl_->image || impl_->pixels;
}

Result<std::size_t> RowProgram::OutputBytes(const TensorView& in) const {
  if (auto checked = CheckRow(in, impl_->input); !checked) return std::unexpected(checked.error());
  if (impl_->transforms.empty()) return in.Size();
  const RowKind& kind = impl_->output;
  SLUICE_CHECK(kind.dtype);
  if (kind.shape) return kind.shape->Elements() * SizeOf(*kind.dtype);
  const auto size = impl_->RowSize(in);
  if (!size) return std::unexpected(size.error());
  const auto after = SizeAfter(impl_->transforms, *size);
  if (IsTooLarge(after)) return Fail(fmt::format("{} x {} is too large", after.width, after.height));
  return ImageShape(after, false).Elements() * SizeOf(*kind.dtype);
}

Result<Shape> RowProgram::Run(const TensorView& in, const RowSeed& seed, Scratch& scratch,
                              std::span<std::byte> out) const {
  if (auto checked = CheckRow(in, impl_->input); !checked) return std::unexpected(checked.error());
  if (impl_->transforms.empty()) return impl_->Copy(in, out);
  if (impl_->pixels) return impl_->RunPixels(in, seed, *scratch.impl_, out);
  const auto& image = impl_->image;
  if (!image) return impl_->RunUnfused(in, seed, *scratch.impl_, out);
  const auto size = image->Run(BytesOf(in), seed, scratch.impl_->jpeg, scratch.impl_->fused, Floats(out));
  if (!size) return std::unexpected(size.error());
  return ImageShape(*size, true);
}

}  // namespace sluice::image
