// Hostile PNG bytes (see image_checks.h), as they are and with checksums that fit: random chunks hardly ever
// have such, and libpng looks no further without.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "image_checks.h"

namespace {

constexpr std::uint8_t kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

std::uint32_t Big32(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

void PutBig32(std::uint8_t* at, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *at++ = static_cast<std::uint8_t>(value >> shift);
}

// A chunk is its length, its type, so many bytes, and the checksum of type and bytes.
void FitChecksums(std::span<std::uint8_t> png) {
  std::size_t at = sizeof(kSignature);
  while (png.size() >= at + 12) {
    const std::size_t length = std::min<std::size_t>(Big32(&png[at]), png.size() - at - 12);
    PutBig32(&png[at], static_cast<std::uint32_t>(length));
    PutBig32(&png[at + 8 + length],
             static_cast<std::uint32_t>(crc32(0, &png[at + 4], static_cast<uInt>(length + 4))));
    at += 12 + length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> png(data, data + size);
  if (size >= sizeof(kSignature)) std::memcpy(png.data(), kSignature, sizeof(kSignature));
  sluice::fuzz::CheckImage(std::as_bytes(std::span(png)));
  FitChecksums(png);
  sluice::fuzz::CheckImage(std::as_bytes(std::span(png)));
  return 0;
}
