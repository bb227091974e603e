#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include "image/test_images.h"
#include "jpeg_reader.h"
#include "sluice/base/rng.h"

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT
using ::testing::HasSubstr;

std::string ErrorOf(const Bytes& bytes, bool fuse = false) {
  std::vector<Transform> list{Decode{}, Resize{8, 8}, ToFloat{}, HwcToChw{}};
  const auto program = RowProgram::Compile(list, {true, std::nullopt, std::nullopt}, fuse);
  Scratch scratch;
  std::vector<float> out(3 * 8 * 8);
  const auto ran = program->Run(EncodedRow(bytes), {}, scratch, std::as_writable_bytes(std::span(out)));
  return ran ? "" : ran.error().message;
}

float MeanError(const std::vector<float>& decoded, const std::vector<std::uint8_t>& pixels) {
  double sum = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) sum += std::abs(decoded[i] - static_cast<float>(pixels[i]));
  return static_cast<float>(sum / static_cast<double>(pixels.size()));
}

TEST(DecodeJpeg, GivesBackThePixelsThatWereEncoded) {
  const auto pixels = Texture(60, 83, 3);
  const Ran ran = RunEncoded({Decode{}}, EncodeJpeg(pixels, 60, 83, {3, 1, 1, 100}));
  EXPECT_EQ(ran.shape, (Shape{{60, 83, 3}, 3}));
  EXPECT_LT(MeanError(ran.values, pixels), 1.5F);
}

TEST(DecodeJpeg, WidensGrey) {
  const auto grey = Texture(40, 30, 1);
  const Ran ran = RunEncoded({Decode{}}, EncodeJpeg(grey, 40, 30, {1, 1, 1, 100}));
  ASSERT_EQ(ran.shape, (Shape{{40, 30, 3}, 3}));
  std::vector<std::uint8_t> widened;
  for (const auto level : grey) widened.insert(widened.end(), 3, level);
  EXPECT_LT(MeanError(ran.values, widened), 1.5F);
}

TEST(DecodeJpeg, TurnsAdobeCmykIntoRgb) {
  auto cmyk = Texture(24, 40, 4);
  for (std::size_t i = 3; i < cmyk.size(); i += 4) cmyk[i] = 255;  // inverted: no black
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < cmyk.size(); ++i) {
    if (i % 4 != 3) rgb.push_back(cmyk[i]);
  }
  const Ran ran = RunEncoded({Decode{}}, EncodeJpeg(cmyk, 24, 40, {4, 1, 1, 100}));
  EXPECT_LT(MeanError(ran.values, rgb), 2.0F);
}

// Every box of every kind of JPEG must hold the very pixels of the full decode, its edges included.
TEST(JpegReader, DecodesABoxExactlyAsTheWholeImage) {
  const JpegStyle styles[] = {{3, 2, 2}, {3, 2, 1}, {3, 1, 1}, {3, 1, 2},           {3, 4, 1},
                              {3, 4, 2}, {1, 1, 1}, {4, 2, 2}, {3, 2, 2, 90, true}, {3, 2, 1, 50, true}};
  constexpr int kHeight = 99, kWidth = 117;
  Rng rng(5);
  image::JpegReader reader;
  for (const auto& style : styles) {
    const Bytes jpeg = Jpeg(kHeight, kWidth, style);
    const Ran whole = RunEncoded({Decode{}}, jpeg);
    for (int i = 0; i < 200; ++i) {
      const int height = 1 + static_cast<int>(rng.Below(kHeight)),
                width = 1 + static_cast<int>(rng.Below(kWidth));
      const Box box{static_cast<int>(rng.Below(static_cast<std::uint64_t>(kHeight - height + 1))),
                    static_cast<int>(rng.Below(static_cast<std::uint64_t>(kWidth - width + 1))), height,
                    width};
      ASSERT_TRUE(reader.Open(jpeg));
      ASSERT_TRUE(reader.Start(PixelLayout::kRgb, box));
      std::vector<std::uint8_t> row(static_cast<std::size_t>(reader.row_width()) * 3);
      for (int y = 0; y < height; ++y) {
        ASSERT_TRUE(reader.ReadRow(row.data()));
        for (int x = 0; x < width * 3; ++x) {
          ASSERT_EQ(row[static_cast<std::size_t>(reader.box_offset() * 3 + x)],
                    whole.values[static_cast<std::size_t>(((box.top + y) * kWidth + box.left) * 3 + x)])
              << fmt::format("box {},{} {}x{}, value {},{}; subsampling {}x{} progressive {}", box.top,
                             box.left, height, width, y, x, style.across, style.down, style.progressive);
        }
      }
      reader.Close();
    }
  }
}

TEST(DecodeJpeg, RefusesTruncatedFilesAtAnyLength) {
  for (const bool progressive : {false, true}) {
    const Bytes jpeg = Jpeg(90, 120, {3, 2, 2, 90, progressive});
    for (std::size_t size = 0; size < jpeg.size() - 1; size += 97) {
      const Bytes cut(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(ErrorOf(cut), "") << size;
      EXPECT_NE(ErrorOf(cut, true), "") << size;
    }
  }
}

TEST(DecodeJpeg, SaysInWhichRowATruncatedFileEnds) {
  Bytes jpeg = Jpeg(90, 120);
  jpeg.resize(jpeg.size() / 2);
  EXPECT_THAT(ErrorOf(jpeg), HasSubstr("JPEG is truncated"));
  jpeg.insert(jpeg.end(), {std::byte{0xff}, std::byte{0xd9}});  // an end marker does not make it whole
  EXPECT_THAT(ErrorOf(jpeg), HasSubstr("of 90"));
}

TEST(DecodeJpeg, TakesBytesAfterTheEndOfTheImage) {
  Bytes jpeg = Jpeg(20, 30);
  jpeg.resize(jpeg.size() + 500);
  EXPECT_EQ(ErrorOf(jpeg), "");
  EXPECT_EQ(ErrorOf(jpeg, true), "");
}

TEST(DecodeJpeg, RefusesSizesThatTheBytesCannotHold) {
  Bytes jpeg = Jpeg(20, 30);
  for (std::size_t i = 0; i + 8 < jpeg.size(); ++i) {
    if (jpeg[i] != std::byte{0xff} || jpeg[i + 1] != std::byte{0xc0}) continue;
    for (std::size_t k = 5; k < 9; ++k) jpeg[i + k] = std::byte{0x3f};  // 16191 x 16191
    break;
  }
  EXPECT_THAT(ErrorOf(jpeg), HasSubstr("cannot hold"));
  EXPECT_THAT(ErrorOf(jpeg, true), HasSubstr("cannot hold"));
}

TEST(DecodePng, GivesBackThePixelsOfEveryColorType) {
  const auto rgb = Texture(37, 29, 3);
  const std::vector<float> wanted(rgb.begin(), rgb.end());
  for (const bool interlaced : {false, true}) {
    const Ran plain = RunEncoded({Decode{}}, EncodePng(rgb, 37, 29, {PNG_COLOR_TYPE_RGB, 8, interlaced}));
    EXPECT_EQ(plain.values, wanted);
    std::vector<std::uint8_t> rgba, deep;
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      rgba.push_back(rgb[i]);
      if (i % 3 == 2) rgba.push_back(static_cast<std::uint8_t>(i));
      deep.insert(deep.end(), {rgb[i], 0x99});
    }
    EXPECT_EQ(
        RunEncoded({Decode{}}, EncodePng(rgba, 37, 29, {PNG_COLOR_TYPE_RGB_ALPHA, 8, interlaced})).values,
        wanted);
    EXPECT_EQ(RunEncoded({Decode{}}, EncodePng(deep, 37, 29, {PNG_COLOR_TYPE_RGB, 16, interlaced})).values,
              wanted);
  }
}

TEST(DecodePng, WidensGreyAndPalettes) {
  const auto levels = Texture(9, 14, 1);
  const Ran grey = RunEncoded({Decode{}}, EncodePng(levels, 9, 14, {PNG_COLOR_TYPE_GRAY, 8}));
  const Ran palette = RunEncoded({Decode{}}, EncodePng(levels, 9, 14, {PNG_COLOR_TYPE_PALETTE, 8}));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(grey.values[i * 3 + c], static_cast<float>(levels[i]));
    EXPECT_EQ(palette.values[i * 3 + 1], static_cast<float>(255 - levels[i]));
  }
}

TEST(DecodePng, RefusesTruncatedAndDamagedFiles) {
  const Bytes png = EncodePng(Texture(50, 50, 3), 50, 50);
  for (std::size_t size = 0; size + 30 < png.size(); size += 211) {
    EXPECT_NE(ErrorOf(Bytes(png.begin(), png.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  }
  Bytes damaged = png;
  damaged[png.size() / 2] ^= std::byte{0x55};
  EXPECT_THAT(ErrorOf(damaged), HasSubstr("PNG cannot be read"));
  EXPECT_THAT(ErrorOf(damaged, true), HasSubstr("PNG cannot be read"));
}

TEST(Decode, SaysWhatAnUnknownFileStartsWith) {
  const std::string gif = "GIF89a";
  const auto* data = reinterpret_cast<const std::byte*>(gif.data());
  EXPECT_THAT(ErrorOf(Bytes(data, data + gif.size())),
              HasSubstr("neither JPEG nor PNG: 6 bytes starting 47 49"));
}

}  // namespace
}  // namespace sluice::image
