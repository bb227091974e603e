#include "png_reader.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstdint>
#include <cstring>

#include "sluice/image/image_header.h"

namespace sluice::image {
namespace {

// Deflate cannot do better than 1032 to 1; the first row and the chunk headers are forgiven.
constexpr std::uint64_t kMaxInflation = 1032;
constexpr std::uint64_t kForgivenBytes = 4096;

class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> bytes) : bytes_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, OnError, OnWarning);
    info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  [[nodiscard]] Result<Size> ReadHeader(PixelLayout layout);
  [[nodiscard]] Result<void> ReadPixels(std::uint8_t* pixels);

 private:
  [[noreturn]] static void OnError(png_structp png, png_const_charp text);
  static void OnWarning(png_structp, png_const_charp) {}
  static void OnRead(png_structp png, png_bytep out, std::size_t count);
  template <typename Call>
  [[nodiscard]] bool Guarded(Call call);
  void AskFor(PixelLayout layout);
  [[nodiscard]] bool CanHoldImage() const;
  [[nodiscard]] Error Failure() const { return {fmt::format("PNG cannot be read: {}", text_)}; }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_;
  int passes_ = 1;
  std::uint64_t coded_bytes_ = 0;
  char text_[256] = {};
};

void PngReader::OnError(png_structp png, png_const_charp text) {
  auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(self->text_, text, sizeof(self->text_) - 1);
  std::longjmp(self->jump_, 1);
}

void PngReader::OnRead(png_structp png, png_bytep out, std::size_t count) {
  auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
  if (self->bytes_.size() - self->position_ < count) png_error(png, "it is truncated");
  std::memcpy(out, self->bytes_.data() + self->position_, count);
  self->position_ += count;
}

// A jump must not pass over a destructor: `call` holds trivial values only.
template <typename Call>
bool PngReader::Guarded(Call call) {
  if (setjmp(jump_) != 0) return false;
  call();
  return true;
}

void PngReader::AskFor(PixelLayout layout) {
  png_set_expand(png_);
  png_set_strip_16(png_);
  png_set_strip_alpha(png_);
  png_set_gray_to_rgb(png_);
  if (layout == PixelLayout::kRgbx) png_set_filler(png_, 0xff, PNG_FILLER_AFTER);
  passes_ = png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
}

bool PngReader::CanHoldImage() const {
  return coded_bytes_ <= bytes_.size() * kMaxInflation + kForgivenBytes;
}

Result<Size> PngReader::ReadHeader(PixelLayout layout) {
  if (info_ == nullptr) return Fail("PNG cannot be read: libpng has no memory");
  const bool read = Guarded([this, layout] {
    png_set_read_fn(png_, this, OnRead);
    png_read_info(png_, info_);
    coded_bytes_ = std::uint64_t{png_get_rowbytes(png_, info_)} * png_get_image_height(png_, info_);
    AskFor(layout);
  });
  if (!read) return std::unexpected(Failure());
  const std::uint32_t width = png_get_image_width(png_, info_), height = png_get_image_height(png_, info_);
  if (std::uint64_t{width} * height > kMaxPixels) {
    return Fail(fmt::format("PNG size {} x {} is refused: more than {} pixels", width, height, kMaxPixels));
  }
  if (!CanHoldImage()) {
    return Fail(
        fmt::format("PNG is truncated: {} bytes cannot hold {} x {} pixels", bytes_.size(), width, height));
  }
  return Size{static_cast<int>(height), static_cast<int>(width)};
}

Result<void> PngReader::ReadPixels(std::uint8_t* pixels) {
  const std::size_t stride = png_get_rowbytes(png_, info_);
  const std::uint32_t height = png_get_image_height(png_, info_);
  const bool read = Guarded([this, pixels, stride, height] {
    for (int pass = 0; pass < passes_; ++pass) {
      for (std::uint32_t y = 0; y < height; ++y) png_read_row(png_, pixels + y * stride, nullptr);
    }
  });
  if (!read) return std::unexpected(Failure());
  return {};
}

}  // namespace

Result<Size> ReadPng(std::span<const std::byte> bytes, PixelLayout layout, std::size_t slack,
                     Buffer& pixels) {
  PngReader reader(bytes);
  const auto size = reader.ReadHeader(layout);
  if (!size) return size;
  const std::size_t count = static_cast<std::size_t>(size->height) * static_cast<std::size_t>(size->width) *
                            static_cast<std::size_t>(BytesPerPixel(layout));
  auto* data = pixels.Reserve<std::uint8_t>(count + slack);
  std::memset(data + count, 0, slack);
  if (auto read = reader.ReadPixels(data); !read) return std::unexpected(read.error());
  return size;
}

}  // namespace sluice::image
