// JpegReader: libjpeg's decompressor, kept from image to image, as rows of pixels of a box. Corrupt and
// truncated input is an error here, where libjpeg would warn and paint grey. One thread at a time.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "buffer.h"
#include "geometry.h"
#include "libjpeg.h"
#include "sluice/base/error.h"

namespace sluice::image {

enum class PixelLayout : std::uint8_t { kRgb, kRgbx };  // 3 or 4 bytes a pixel; x is anything
constexpr int BytesPerPixel(PixelLayout layout) {
  return layout == PixelLayout::kRgb ? 3 : 4;
}

class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // Reads the header. `bytes` must live until Close.
  [[nodiscard]] Result<Size> Open(std::span<const std::byte> bytes);
  // Begins decoding at the box's first row. REQUIRES Open, and the box within the image.
  // The pixels are those of a full decode: what upsampling needs around the box is decoded too.
  [[nodiscard]] Result<void> Start(PixelLayout layout, const Box& box);
  // Pixels that ReadRow writes, and where among them the box starts.
  [[nodiscard]] int row_width() const { return static_cast<int>(jpeg_.output_width); }
  [[nodiscard]] int box_offset() const { return box_offset_; }
  [[nodiscard]] Result<void> ReadRow(std::uint8_t* row);
  // Drops the image; also right after an error, or when nothing is open.
  void Close();

 private:
  struct ErrorManager {
    jpeg_error_mgr base;
    std::jmp_buf jump;
    bool truncated;
    char text[JMSG_LENGTH_MAX];
  };
  [[noreturn]] static void OnError(j_common_ptr info);
  static void OnMessage(j_common_ptr info, int level);

  template <typename Call>
  [[nodiscard]] bool Guarded(Call call);
  void BeginAt(const Box& box);
  void ReadLine(std::uint8_t* row);
  [[nodiscard]] Error Failure();

  jpeg_decompress_struct jpeg_{};
  ErrorManager error_{};
  std::size_t bytes_ = 0;
  PixelLayout layout_ = PixelLayout::kRgb;
  int box_offset_ = 0;
  Buffer line_;
};

}  // namespace sluice::image
