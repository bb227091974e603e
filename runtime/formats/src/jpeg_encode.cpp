#include "jpeg_encode.h"

// jpeglib.h needs FILE and size_t declared before it.
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "sluice/base/check.h"

namespace sluice::formats::internal {
namespace {

struct Free {
  void operator()(unsigned char* memory) const { std::free(memory); }
};

// libjpeg's default error handler ends the process: with a valid picture in memory only a lack of memory
// gets there.
std::vector<std::byte> Encode(std::span<const std::uint8_t> rgb, int width, int height, int quality) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long length = 0;
  jpeg_mem_dest(&jpeg, &memory, &length);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* row = const_cast<std::uint8_t*>(rgb.data()) + std::size_t{3} * width * jpeg.next_scanline;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const std::unique_ptr<unsigned char, Free> owned(memory);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory);
  return {bytes, bytes + length};
}

}  // namespace

std::vector<std::byte> EncodeJpeg(std::span<const std::uint8_t> rgb, int width, int height,
                                  ByteRange length) {
  SLUICE_CHECK(rgb.size() == std::size_t{3} * width * height);
  int low = 40;
  int high = 98;
  int quality = 93;
  for (;;) {
    std::vector<std::byte> encoded = Encode(rgb, width, height, quality);
    if (encoded.size() < length.low)
      low = quality + 1;
    else if (encoded.size() > length.high)
      high = quality - 1;
    else
      return encoded;
    if (low > high) return encoded;
    const int step = encoded.size() > length.high ? -3 : 2;
    quality = std::clamp(quality + step, low, high);
  }
}

}  // namespace sluice::formats::internal
