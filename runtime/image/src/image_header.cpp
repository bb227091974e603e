#include "sluice/image/image_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace sluice::image {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t At(Bytes bytes, std::size_t i) {
  return std::to_integer<std::uint32_t>(bytes[i]);
}
std::uint32_t Big16(Bytes bytes, std::size_t i) {
  return At(bytes, i) << 8 | At(bytes, i + 1);
}
std::uint32_t Big32(Bytes bytes, std::size_t i) {
  return Big16(bytes, i) << 16 | Big16(bytes, i + 2);
}

bool StartsWith(Bytes bytes, std::initializer_list<int> prefix) {
  return bytes.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), bytes.begin(),
                    [](int want, std::byte have) { return static_cast<std::byte>(want) == have; });
}

bool IsFrameHeader(std::uint32_t marker) {  // SOF0..SOF15 without DHT, JPG and DAC
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool HasNoSegment(std::uint32_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

Result<ImageHeader> Checked(ImageHeader header) {
  if (header.width == 0 || header.height == 0) {
    return Fail(fmt::format("image size is {} x {}", header.width, header.height));
  }
  if (std::uint64_t{header.width} * header.height > kMaxPixels) {
    return Fail(fmt::format("image size {} x {} is refused: more than {} pixels", header.width, header.height,
                            kMaxPixels));
  }
  return header;
}

// Position of the next marker's code byte: garbage and fill bytes before it are skipped, as libjpeg does.
std::optional<std::size_t> NextMarker(Bytes bytes, std::size_t i) {
  for (; i + 1 < bytes.size(); ++i) {
    if (At(bytes, i) == 0xff && At(bytes, i + 1) != 0xff && At(bytes, i + 1) != 0) return i + 1;
  }
  return std::nullopt;
}

Result<ImageHeader> ReadJpegHeader(Bytes bytes) {
  std::size_t i = 2;
  while (const auto code = NextMarker(bytes, i)) {
    const std::uint32_t marker = At(bytes, *code);
    i = *code + 1;
    if (HasNoSegment(marker)) continue;
    if (marker == 0xd9 || marker == 0xda) return Fail("JPEG has no frame header before its image data");
    if (bytes.size() - i < 2) break;
    const std::uint32_t length = Big16(bytes, i);
    if (length < 2)
      return Fail(fmt::format("JPEG marker at byte {} has the impossible length {}", i, length));
    if (IsFrameHeader(marker)) {
      if (bytes.size() - i < 7) break;
      return Checked({ImageFormat::kJpeg, Big16(bytes, i + 5), Big16(bytes, i + 3)});
    }
    i += std::min<std::size_t>(length, bytes.size() - i);
  }
  return Fail(fmt::format("JPEG is truncated: its {} bytes end before the frame header", bytes.size()));
}

Result<ImageHeader> ReadPngHeader(Bytes bytes) {
  if (bytes.size() < 24) {
    return Fail(fmt::format("PNG is truncated: its {} bytes end before the image size", bytes.size()));
  }
  if (!StartsWith(bytes.subspan(12), {'I', 'H', 'D', 'R'})) return Fail("PNG does not start with IHDR");
  return Checked({ImageFormat::kPng, Big32(bytes, 16), Big32(bytes, 20)});
}

}  // namespace

Result<ImageHeader> ReadImageHeader(Bytes bytes) {
  if (StartsWith(bytes, {0xff, 0xd8, 0xff})) return ReadJpegHeader(bytes);
  if (StartsWith(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'})) return ReadPngHeader(bytes);
  std::string start;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, bytes.size()); ++i) {
    start += fmt::format(" {:02x}", At(bytes, i));
  }
  return Fail(fmt::format("neither JPEG nor PNG: {} bytes{}{}", bytes.size(),
                          start.empty() ? "" : " starting", start));
}

}  // namespace sluice::image
