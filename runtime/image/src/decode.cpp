#include "decode.h"

#include "png_reader.h"
#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

Result<void> DecodeJpeg(std::span<const std::byte> bytes, JpegReader& jpeg, Image& out) {
  const auto size = jpeg.Open(bytes);
  if (!size) return std::unexpected(size.error());
  out.Reset(*size, DType::kU8);
  if (auto started = jpeg.Start(PixelLayout::kRgb, {0, 0, size->height, size->width}); !started) {
    return started;
  }
  auto* row = out.Data<std::uint8_t>();
  for (int y = 0; y < size->height; ++y, row += static_cast<std::ptrdiff_t>(size->width) * kChannels) {
    if (auto read = jpeg.ReadRow(row); !read) return read;
  }
  jpeg.Close();
  return {};
}

Result<void> DecodePng(std::span<const std::byte> bytes, Image& out) {
  const auto size = ReadPng(bytes, PixelLayout::kRgb, 0, out.buffer);
  if (!size) return std::unexpected(size.error());
  out.Reset(*size, DType::kU8);
  return {};
}

}  // namespace

Result<void> DecodeImage(std::span<const std::byte> bytes, JpegReader& jpeg, Image& out) {
  const auto header = ReadImageHeader(bytes);
  if (!header) return std::unexpected(header.error());
  return header->format == ImageFormat::kJpeg ? DecodeJpeg(bytes, jpeg, out) : DecodePng(bytes, out);
}

}  // namespace sluice::image
