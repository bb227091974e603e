#include "sluice/image/image_header.h"

#include <gtest/gtest.h>

#include "image/test_images.h"
#include "sluice/base/rng.h"

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT

TEST(ImageHeader, TellsTheSizeOfEveryKindOfJpegAndPng) {
  EXPECT_EQ(ReadImageHeader(Jpeg(37, 61)), (ImageHeader{ImageFormat::kJpeg, 61, 37}));
  EXPECT_EQ(ReadImageHeader(Jpeg(37, 61, {3, 2, 1, 80, true})), (ImageHeader{ImageFormat::kJpeg, 61, 37}));
  EXPECT_EQ(ReadImageHeader(Jpeg(37, 61, {4, 1, 1})), (ImageHeader{ImageFormat::kJpeg, 61, 37}));
  EXPECT_EQ(ReadImageHeader(EncodePng(Texture(5, 9, 3), 5, 9)), (ImageHeader{ImageFormat::kPng, 9, 5}));
}

TEST(ImageHeader, SkipsAThumbnailInsideAnApplicationSegment) {
  Bytes jpeg = Jpeg(300, 200);
  const Bytes thumbnail = Jpeg(30, 20);
  Bytes segment{std::byte{0xff}, std::byte{0xe1}, static_cast<std::byte>((thumbnail.size() + 2) >> 8),
                static_cast<std::byte>(thumbnail.size() + 2)};
  segment.insert(segment.end(), thumbnail.begin(), thumbnail.end());
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  EXPECT_EQ(ReadImageHeader(jpeg), (ImageHeader{ImageFormat::kJpeg, 200, 300}));
}

TEST(ImageHeader, NamesWhatIsWrong) {
  const auto error = [](Bytes bytes) { return ReadImageHeader(bytes).error().message; };
  EXPECT_EQ(error({}), "neither JPEG nor PNG: 0 bytes");
  Bytes png = EncodePng(Texture(5, 9, 3), 5, 9);
  for (std::size_t i = 16; i < 24; ++i) png[i] = std::byte{0x7f};
  EXPECT_EQ(error(png), "image size 2139062143 x 2139062143 is refused: more than 268435456 pixels");
  for (std::size_t i = 16; i < 24; ++i) png[i] = std::byte{0};
  EXPECT_EQ(error(png), "image size is 0 x 0");
  Bytes jpeg = Jpeg(5, 9);
  jpeg.resize(20);
  EXPECT_EQ(error(jpeg), "JPEG is truncated: its 20 bytes end before the frame header");
}

TEST(ImageHeader, SurvivesDamagedBytes) {
  const Bytes good = Jpeg(20, 30);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(rng.Below(good.size() + 1)));
    for (int i = 0; i < 8 && bytes.size() > 3; ++i) {
      bytes[3 + rng.Below(bytes.size() - 3)] = static_cast<std::byte>(rng.Next());
    }
    const auto header = ReadImageHeader(bytes);
    if (header) {
      EXPECT_LE(std::uint64_t{header->width} * header->height, kMaxPixels);
    }
  }
}

}  // namespace
}  // namespace sluice::image
