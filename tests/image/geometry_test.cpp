#include "geometry.h"

#include <gtest/gtest.h>

namespace sluice::image {
namespace {

TEST(ResizedCropBox, LiesInTheImageWithTheDrawnShareAndRatio) {
  const RandomResizedCrop crop;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const Box box = DrawResizedCrop(crop, {375, 500}, rng);
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 375);
    ASSERT_LE(box.left + box.width, 500);
    const double share = box.height * box.width / (375.0 * 500), ratio = 1.0 * box.width / box.height;
    EXPECT_GT(share, 0.078) << seed;
    EXPECT_GT(ratio, 0.74) << seed;
    EXPECT_LT(ratio, 1.35) << seed;
  }
}

TEST(ResizedCropBox, FallsBackToTheLargestCentralBoxWhereNoneFits) {
  RandomResizedCrop crop;
  crop.scale_min = 1;
  Rng rng(1);
  EXPECT_EQ(DrawResizedCrop(crop, {10, 1000}, rng), (Box{0, 493, 10, 13}));
  EXPECT_EQ(DrawResizedCrop(crop, {1000, 30}, rng), (Box{480, 0, 40, 30}));
}

TEST(ResizedCropBox, IsNeverEmptyHoweverThinTheImage) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Box box = DrawResizedCrop({}, {1, 3}, rng);
    EXPECT_GE(box.width, 1);
    EXPECT_GE(box.height, 1);
  }
}

TEST(ResizedSizes, KeepTheRatioAndCutTheLongerSide) {
  EXPECT_EQ(ResizedSize({256, 0}, {375, 500}), (Size{256, 341}));
  EXPECT_EQ(ResizedSize({256, 0}, {500, 375}), (Size{341, 256}));
  EXPECT_EQ(ResizedSize({100, 80}, {500, 375}), (Size{100, 80}));
}

TEST(ResizedSizes, OfHostileImagesAreTooLargeInsteadOfOverflowing) {
  EXPECT_TRUE(IsTooLarge(ResizedSize({65536, 0}, {1, 1 << 28})));
}

TEST(CenterBoxes, RoundHalvesToEvenAndReachOutsideSmallImages) {
  EXPECT_EQ(CenterBox({224, 224}, {256, 341}), (Box{16, 58, 224, 224}));
  EXPECT_EQ(CenterBox({224, 224}, {225, 227}), (Box{0, 2, 224, 224}));
  EXPECT_EQ(CenterBox({10, 10}, {7, 4}), (Box{-1, -3, 10, 10}));
}

TEST(RandomCropBox, ReachesEveryPlaceOfThePaddedImage) {
  const RandomCrop crop{32, 32, 4, 0};
  bool first = false, last = false;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const Box box = DrawRandomCrop(crop, {32, 32}, rng);
    ASSERT_GE(box.top, -4);
    ASSERT_LE(box.top, 4);
    first |= box.top == -4 && box.left < 0;
    last |= box.top == 4 && box.left > 0;
  }
  EXPECT_TRUE(first && last);
}

}  // namespace
}  // namespace sluice::image
