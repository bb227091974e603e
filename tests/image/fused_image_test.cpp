#include <fmt/format.h>
#include <gtest/gtest.h>

#include "image/test_images.h"
#include "sluice/base/rng.h"

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT

const Normalize kImageNet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
constexpr float kFloatError = 2e-6F;  // a grey level is 0.017

// The very same grey levels; only the normalisation may differ by a float's last bits.
void ExpectSame(const std::vector<Transform>& transforms, const Bytes& bytes, const RowSeed& seed,
                const std::string& what) {
  const Ran fused = RunEncoded(transforms, bytes, seed, true);
  const Ran plain = RunEncoded(transforms, bytes, seed, false);
  ASSERT_TRUE(fused.fused) << what;
  ASSERT_FALSE(plain.fused) << what;
  ASSERT_EQ(fused.shape, plain.shape) << what;
  EXPECT_LE(Compare(fused.values, plain.values, 0).largest, kFloatError) << what;
}

std::vector<Transform> Training(bool antialias, int height = 224, int width = 224) {
  RandomResizedCrop crop;
  crop.height = height;
  crop.width = width;
  crop.antialias = antialias;
  return {Decode{}, crop, RandomHorizontalFlip{}, kImageNet, HwcToChw{}};
}

class FusedImage : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Antialias, FusedImage, ::testing::Bool());

TEST_P(FusedImage, GivesWhatTheSingleTransformsGiveForEverySubsampling) {
  const JpegStyle styles[] = {{3, 2, 2},           {3, 2, 1},           {3, 1, 1},
                              {3, 1, 2},           {3, 4, 1},           {1, 1, 1},
                              {4, 1, 1},           {4, 2, 2},           {3, 2, 2, 90, true},
                              {3, 2, 1, 60, true}, {1, 1, 1, 80, true}, {3, 2, 2, 95, false, 1}};
  for (const auto& style : styles) {
    const Bytes jpeg = Jpeg(187, 251, style);
    for (std::uint64_t index = 0; index < 24; ++index) {
      ExpectSame(Training(GetParam(), 64, 61), jpeg, {7, 1, index, 0},
                 fmt::format("channels {} subsampling {}x{} progressive {} index {}", style.channels,
                             style.across, style.down, style.progressive, index));
    }
  }
}

TEST_P(FusedImage, GivesWhatTheSingleTransformsGiveForManySizes) {
  Rng rng(99);
  for (std::uint64_t index = 0; index < 60; ++index) {
    const int height = 1 + static_cast<int>(rng.Below(300)), width = 1 + static_cast<int>(rng.Below(300));
    const int out_height = 1 + static_cast<int>(rng.Below(100)),
              out_width = 1 + static_cast<int>(rng.Below(100));
    ExpectSame(Training(GetParam(), out_height, out_width), Jpeg(height, width, {}, index), {3, 0, index, 0},
               fmt::format("{} x {} to {} x {}", height, width, out_height, out_width));
  }
}

TEST_P(FusedImage, GivesWhatTheSingleTransformsGiveAtTrainingSize) {
  const Bytes jpeg = Jpeg(375, 500);
  for (std::uint64_t index = 0; index < 20; ++index) {
    ExpectSame(Training(GetParam()), jpeg, {1, 2, index, 3}, fmt::format("index {}", index));
  }
}

TEST_P(FusedImage, EvaluatesAsTheSingleTransformsDo) {
  const bool antialias = GetParam();
  for (const auto& [height, width] : {std::pair{375, 500}, {500, 375}, {60, 333}, {256, 256}, {17, 15}}) {
    const Bytes jpeg = Jpeg(height, width);
    const std::vector<std::vector<Transform>> lists = {
        {Decode{}, Resize{256, 0, antialias}, CenterCrop{224, 224}, ToFloat{}, kImageNet, HwcToChw{}},
        {Decode{}, Resize{64, 96, antialias}, CenterCrop{80, 50}, HwcToChw{}, kImageNet},
        {Decode{}, Resize{100, 120, antialias}, HwcToChw{}, ToFloat{}},
        {Decode{}, CenterCrop{200, 210}, RandomHorizontalFlip{}, ToFloat{}, HwcToChw{}},
        {Decode{}, kImageNet, HwcToChw{}, RandomHorizontalFlip{1}}};
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ExpectSame(lists[i], jpeg, {}, fmt::format("list {} of {} x {}", i, height, width));
    }
  }
}

TEST_P(FusedImage, TakesPngToo) {
  const Bytes png = EncodePng(Texture(120, 97, 3), 120, 97);
  for (std::uint64_t index = 0; index < 10; ++index) {
    ExpectSame(Training(GetParam(), 40, 50), png, {5, 0, index, 0}, fmt::format("index {}", index));
  }
}

TEST(FusedImageShape, LeavesOtherListsToTheSingleTransforms) {
  const RowKind encoded{true, std::nullopt, std::nullopt};
  const std::vector<std::vector<Transform>> lists = {
      {Decode{}, RandomResizedCrop{}},                         // u8
      {Decode{}, RandomResizedCrop{}, kImageNet},              // HWC
      {Decode{}, RandomColorAdjust{}, kImageNet, HwcToChw{}},  // unknown to the kernels
      {Decode{}, RandomHorizontalFlip{}, RandomResizedCrop{}, kImageNet, HwcToChw{}},
      {Decode{}, RandomResizedCrop{}, kImageNet, kImageNet, HwcToChw{}}};
  for (const auto& list : lists) {
    const auto program = RowProgram::Compile(list, encoded);
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_FALSE(program->fused());
  }
}

TEST(FusedImageErrors, ARowThatFailsLeavesTheScratchFitForTheNext) {
  const auto program = RowProgram::Compile(Training(false), {true, std::nullopt, std::nullopt});
  ASSERT_TRUE(program);
  const Bytes good = Jpeg(200, 300);
  Bytes corrupt = good;
  std::fill(corrupt.begin() + 700, corrupt.begin() + 900, std::byte{0xff});
  const Bytes cut(good.begin(), good.begin() + 2000);
  std::vector<float> out(3 * 224 * 224), again(out.size());
  Scratch scratch;
  ASSERT_TRUE(program->Run(EncodedRow(good), {}, scratch, std::as_writable_bytes(std::span(out))));
  EXPECT_FALSE(program->Run(EncodedRow(cut), {}, scratch, std::as_writable_bytes(std::span(again))));
  EXPECT_FALSE(program->Run(EncodedRow(corrupt), {}, scratch, std::as_writable_bytes(std::span(again))));
  ASSERT_TRUE(program->Run(EncodedRow(good), {}, scratch, std::as_writable_bytes(std::span(again))));
  EXPECT_EQ(out, again);
}

}  // namespace
}  // namespace sluice::image
