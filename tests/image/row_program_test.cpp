#include "sluice/image/row_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "image/test_images.h"

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT
using ::testing::HasSubstr;

const RowKind kEncoded{true, std::nullopt, std::nullopt};
const RowKind kPixels{false, DType::kU8, Shape{{8, 10, 3}, 3}};

std::string CompileError(std::vector<Transform> transforms, const RowKind& kind) {
  const auto program = RowProgram::Compile(std::move(transforms), kind);
  return program ? "" : program.error().message;
}

TEST(Compile, NamesTheTransformThatCannotWork) {
  EXPECT_THAT(CompileError({Resize{}}, kEncoded),
              HasSubstr("Resize (transform 1): takes an image, not encoded"));
  EXPECT_THAT(CompileError({ToFloat{}, Decode{}}, kPixels), HasSubstr("Decode (transform 2)"));
  EXPECT_THAT(CompileError({HwcToChw{}, CenterCrop{}}, kPixels), HasSubstr("put it before HwcToChw"));
  EXPECT_THAT(CompileError({HwcToChw{}, HwcToChw{}}, kPixels), HasSubstr("HwcToChw (transform 2)"));
  EXPECT_THAT(CompileError({Normalize{{0.5F}, {1.0F}}}, kPixels), HasSubstr("3 values"));
  EXPECT_THAT(CompileError({Normalize{{0, 0, 0}, {1, 0, 1}}}, kPixels), HasSubstr("std must not be 0"));
  EXPECT_THAT(CompileError({RandomCrop{9, 9, 0, 0}}, kPixels), HasSubstr("smaller than the crop 9 x 9"));
  EXPECT_THAT(CompileError({Resize{-1, 0}}, kPixels), HasSubstr("height"));
  EXPECT_THAT(CompileError({Resize{65536, 65536}}, kPixels), HasSubstr("2^28"));
  EXPECT_THAT(CompileError({RandomHorizontalFlip{1.5}}, kPixels), HasSubstr("probability"));
  EXPECT_THAT(CompileError({ToFloat{}}, {false, DType::kU8, Shape{{8, 10}, 2}}), HasSubstr("3 channels"));
  EXPECT_THAT(CompileError({ToFloat{}}, {false, DType::kI64, std::nullopt}), HasSubstr("i64"));
}

TEST(Compile, KnowsTheOutputOfEveryStep) {
  const auto kind = [](std::vector<Transform> list, const RowKind& input) {
    return RowProgram::Compile(std::move(list), input)->output();
  };
  EXPECT_EQ(kind({Decode{}}, kEncoded).shape, std::nullopt);
  const RowKind trained = kind({Decode{}, RandomResizedCrop{}, ToFloat{}, HwcToChw{}}, kEncoded);
  EXPECT_EQ(trained.shape, (Shape{{3, 224, 224}, 3}));
  EXPECT_EQ(trained.dtype, DType::kF32);
  EXPECT_TRUE(trained.planar);
  EXPECT_EQ(kind({Resize{4, 0}}, kPixels).shape, (Shape{{4, 5, 3}, 3}));
  EXPECT_EQ(kind({CenterCrop{2, 3}}, kPixels).shape, (Shape{{2, 3, 3}, 3}));
}

TEST(RowProgram, WithoutTransformsCopiesAnyRow) {
  const std::int64_t label = 1234567890123;
  const auto program = RowProgram::Compile({}, {false, DType::kI64, Shape{}});
  const TensorView row{reinterpret_cast<const std::byte*>(&label), DType::kI64, Shape{}};
  std::int64_t copy = 0;
  Scratch scratch;
  EXPECT_EQ(program->OutputBytes(row), 8U);
  ASSERT_TRUE(program->Run(row, {}, scratch, std::as_writable_bytes(std::span(&copy, 1))));
  EXPECT_EQ(copy, label);
}

TEST(RowProgram, RefusesARowOfAnotherKindAndAPlaceTooSmall) {
  const auto program = RowProgram::Compile({ToFloat{}, HwcToChw{}}, kPixels);
  std::vector<float> out(239);
  Scratch scratch;
  const auto pixels = Texture(8, 10, 3);
  TensorView row{reinterpret_cast<const std::byte*>(pixels.data()), DType::kU8, *kPixels.shape};
  const auto small = program->Run(row, {}, scratch, std::as_writable_bytes(std::span(out)));
  EXPECT_THAT(small.error().message, HasSubstr("needs 960 bytes, and 956 were given"));
  row.shape = {{10, 8, 3}, 3};
  EXPECT_FALSE(program->Run(row, {}, scratch, std::as_writable_bytes(std::span(out))));
}

TEST(RowProgram, TellsTheBytesOfARowWhoseSizeFollowsFromItsHeader) {
  const auto program = RowProgram::Compile({Decode{}, Resize{32, 0}, ToFloat{}}, kEncoded);
  const Bytes jpeg = Jpeg(64, 100);
  EXPECT_EQ(program->OutputBytes(EncodedRow(jpeg)), 32U * 50 * 3 * 4);
  EXPECT_FALSE(program->OutputBytes(EncodedRow(Bytes(10))));
}

TEST(RowProgram, DrawsFromSeedEpochIndexSaltAndPositionOnly) {
  const Bytes jpeg = Jpeg(64, 100);
  const std::vector<Transform> list{Decode{}, RandomResizedCrop{16, 16}, RandomHorizontalFlip{}};
  const auto values = [&](RowSeed seed) { return RunEncoded(list, jpeg, seed).values; };
  EXPECT_EQ(values({1, 2, 3, 4}), values({1, 2, 3, 4}));
  EXPECT_NE(values({1, 2, 3, 4}), values({2, 2, 3, 4}));
  EXPECT_NE(values({1, 2, 3, 4}), values({1, 3, 3, 4}));
  EXPECT_NE(values({1, 2, 3, 4}), values({1, 2, 4, 4}));
  EXPECT_NE(values({1, 2, 3, 4}), values({1, 2, 3, 5}));
}

TEST(RowProgram, FlipsMirrorEachRow) {
  const auto pixels = Texture(8, 10, 3);
  const TensorView row{reinterpret_cast<const std::byte*>(pixels.data()), DType::kU8, *kPixels.shape};
  const auto flipped = RunProgram({RandomHorizontalFlip{1}}, kPixels, row, {}, true).values;
  for (std::size_t i = 0; i < 8 * 10; ++i) {
    const std::size_t mirror = i / 10 * 10 + 9 - i % 10;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(flipped[i * 3 + c], static_cast<float>(pixels[mirror * 3 + c]));
  }
}

TEST(RowProgram, CropsFloatImagesWithTheSameGreyAround) {
  const auto pixels = Texture(8, 10, 3);
  const TensorView row{reinterpret_cast<const std::byte*>(pixels.data()), DType::kU8, *kPixels.shape};
  const RandomCrop crop{14, 14, 3, 51};
  const auto before = RunProgram({ToFloat{}, RandomCrop{crop}, HwcToChw{}}, kPixels, row, {}, false);
  EXPECT_FLOAT_EQ(before.values[0], 0.2F);
}

}  // namespace
}  // namespace sluice::image
