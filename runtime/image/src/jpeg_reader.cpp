#include "jpeg_reader.h"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>

#include "sluice/base/check.h"
#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

// Fancy upsampling looks one chroma sample to each side, two pixels at most.
constexpr int kMargin = 2;
// A blank progressive grey image spends one bit on an 8 x 8 block; leave a factor of two.
constexpr std::uint64_t kMaxPixelsPerByte = 1024;

bool HasEndMarker(std::span<const std::byte> bytes) {
  for (std::size_t i = bytes.size(); i >= 2; --i) {
    if (bytes[i - 1] == std::byte{0xd9} && bytes[i - 2] == std::byte{0xff}) return true;
  }
  return false;
}

Result<void> CheckSize(Size size, std::size_t bytes) {
  const auto pixels = static_cast<std::uint64_t>(size.height) * static_cast<std::uint64_t>(size.width);
  if (pixels <= kMaxPixels && pixels <= bytes * kMaxPixelsPerByte) return {};
  return Fail(fmt::format("JPEG size {} x {} is refused: {}", size.width, size.height,
                          pixels > kMaxPixels ? fmt::format("more than {} pixels", kMaxPixels)
                                              : fmt::format("{} bytes cannot hold it", bytes)));
}

// Adobe writes CMYK inverted: 255 is no ink.
std::uint8_t Ink(int colour, int black) {
  return static_cast<std::uint8_t>((colour * black + 127) / 255);
}

void CmykToRgb(const std::uint8_t* cmyk, int pixels, int step, std::uint8_t* out) {
  for (int i = 0; i < pixels; ++i, cmyk += 4, out += step) {
    for (int c = 0; c < 3; ++c) out[c] = Ink(cmyk[c], cmyk[3]);
  }
}

J_COLOR_SPACE Wanted(J_COLOR_SPACE file, PixelLayout layout) {
  if (file == JCS_CMYK || file == JCS_YCCK) return JCS_CMYK;
  return layout == PixelLayout::kRgb ? JCS_EXT_RGB : JCS_EXT_RGBX;
}

bool CutsColumns(const jpeg_decompress_struct& jpeg, const Box& box) {
  return box.left > 0 || static_cast<JDIMENSION>(box.width) < jpeg.output_width;
}

}  // namespace

JpegReader::JpegReader() {
  jpeg_.err = jpeg_std_error(&error_.base);
  error_.base.error_exit = OnError;
  error_.base.emit_message = OnMessage;
  const bool created = Guarded([this] { jpeg_create_decompress(&jpeg_); });
  SLUICE_CHECK(created);
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&jpeg_);
}

void JpegReader::OnError(j_common_ptr info) {
  auto* error = reinterpret_cast<ErrorManager*>(info->err);
  info->err->format_message(info, error->text);
  std::longjmp(error->jump, 1);
}

void JpegReader::OnMessage(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  auto* error = reinterpret_cast<ErrorManager*>(info->err);
  if (level >= 0) return;
  error->truncated = code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER;
  if (error->truncated || code == JWRN_HUFF_BAD_CODE) OnError(info);
}

// A jump must not pass over a destructor: `call` holds trivial values only.
template <typename Call>
bool JpegReader::Guarded(Call call) {
  error_.truncated = false;
  if (setjmp(error_.jump) != 0) return false;
  call();
  return true;
}

Error JpegReader::Failure() {
  const auto row = jpeg_.output_scanline;
  const auto rows = jpeg_.image_height;
  Close();
  if (!error_.truncated) return {fmt::format("JPEG cannot be read: {}", error_.text)};
  return {fmt::format("JPEG is truncated: its {} bytes end in row {} of {}", bytes_, row, rows)};
}

Result<Size> JpegReader::Open(std::span<const std::byte> bytes) {
  Close();
  bytes_ = bytes.size();
  jpeg_.output_scanline = 0;
  jpeg_.image_height = 0;
  const bool read = Guarded([this, bytes] {
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
  });
  if (!read) return std::unexpected(Failure());
  const Size size{static_cast<int>(jpeg_.image_height), static_cast<int>(jpeg_.image_width)};
  if (auto checked = CheckSize(size, bytes.size()); !checked) return std::unexpected(checked.error());
  if (HasEndMarker(bytes)) return size;
  return Fail(fmt::format("JPEG is truncated: its {} bytes hold no end-of-image marker", bytes.size()));
}

Result<void> JpegReader::Start(PixelLayout layout, const Box& box) {
  SLUICE_CHECK(box.top >= 0 && box.left >= 0 && box.height > 0 && box.width > 0);
  layout_ = layout;
  line_.Reserve<std::uint8_t>(std::size_t{jpeg_.image_width} * 4);
  if (Guarded([this, &box] { BeginAt(box); })) return {};
  return std::unexpected(Failure());
}

void JpegReader::BeginAt(const Box& box) {
  jpeg_.out_color_space = Wanted(jpeg_.jpeg_color_space, layout_);
  jpeg_start_decompress(&jpeg_);
  JDIMENSION first = 0;
  if (CutsColumns(jpeg_, box)) {
    first = static_cast<JDIMENSION>(std::max(0, box.left - kMargin));
    JDIMENSION width =
        std::min(jpeg_.output_width, static_cast<JDIMENSION>(box.left + box.width + kMargin)) - first;
    jpeg_crop_scanline(&jpeg_, &first, &width);
  }
  box_offset_ = box.left - static_cast<int>(first);
  const auto top = static_cast<JDIMENSION>(box.top);
  if (top > kMargin) jpeg_skip_scanlines(&jpeg_, top - kMargin);
  while (jpeg_.output_scanline < top) ReadLine(line_.As<std::uint8_t>());
}

void JpegReader::ReadLine(std::uint8_t* row) {
  JSAMPROW rows[1] = {row};
  jpeg_read_scanlines(&jpeg_, rows, 1);
}

Result<void> JpegReader::ReadRow(std::uint8_t* row) {
  const bool cmyk = jpeg_.out_color_space == JCS_CMYK;
  std::uint8_t* target = cmyk ? line_.As<std::uint8_t>() : row;
  if (!Guarded([this, target] { ReadLine(target); })) return std::unexpected(Failure());
  if (cmyk) CmykToRgb(target, row_width(), BytesPerPixel(layout_), row);
  return {};
}

void JpegReader::Close() {
  jpeg_abort_decompress(&jpeg_);
}

}  // namespace sluice::image
