#include <fmt/format.h>
#include <gtest/gtest.h>

#include "image/test_images.h"

namespace sluice::image {
namespace {

using namespace testing;  // NOLINT

const Normalize kCifar{{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}};

RowKind Kind(int height, int width, bool planar) {
  const auto h = static_cast<std::uint32_t>(height), w = static_cast<std::uint32_t>(width);
  return {false, DType::kU8, planar ? Shape{{3, h, w}, 3} : Shape{{h, w, 3}, 3}, planar};
}

Ran RunPixels(const std::vector<Transform>& list, const RowKind& kind,
              const std::vector<std::uint8_t>& pixels, std::uint64_t index, bool fuse) {
  const TensorView row{reinterpret_cast<const std::byte*>(pixels.data()), DType::kU8, *kind.shape};
  return RunProgram(list, kind, row, {11, 1, index, 2}, fuse);
}

class FusedPixels : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Planar, FusedPixels, ::testing::Bool());

TEST_P(FusedPixels, GivesWhatTheSingleTransformsGive) {
  const std::vector<std::vector<Transform>> lists = {
      {RandomCrop{32, 32, 4, 0}, RandomHorizontalFlip{}, kCifar, HwcToChw{}},
      {RandomCrop{32, 32, 4, 200}, RandomHorizontalFlip{}, ToFloat{}, HwcToChw{}},
      {RandomCrop{28, 20, 0, 0}, RandomHorizontalFlip{}, kCifar, HwcToChw{}},
      {RandomCrop{50, 41, 30, 7}, HwcToChw{}, kCifar, RandomHorizontalFlip{}},
      {RandomHorizontalFlip{}, HwcToChw{}, kCifar},
      {ToFloat{}, kCifar, HwcToChw{}}};
  for (const auto& [height, width] : {std::pair{32, 32}, {31, 37}, {40, 24}, {33, 27}}) {
    const RowKind kind = Kind(height, width, GetParam());
    const auto pixels = Texture(height, width, 3);
    for (std::size_t list = 0; list < lists.size(); ++list) {
      for (std::uint64_t index = 0; index < 40; ++index) {
        const Ran fused = RunPixels(lists[list], kind, pixels, index, true);
        const Ran plain = RunPixels(lists[list], kind, pixels, index, false);
        ASSERT_TRUE(fused.fused);
        ASSERT_EQ(fused.shape, plain.shape);
        EXPECT_EQ(Compare(fused.values, plain.values, 1e-5F).count, 0U)
            << fmt::format("list {} of {} x {}, index {}", list, height, width, index);
      }
    }
  }
}

TEST(PlanarRows, AreTheSameImageAsTheirPixelsInOrder) {
  const auto planes = Texture(3, 32 * 32, 1);
  std::vector<std::uint8_t> pixels(planes.size());
  for (std::size_t i = 0; i < 1024; ++i) {
    for (std::size_t c = 0; c < 3; ++c) pixels[i * 3 + c] = planes[c * 1024 + i];
  }
  for (const bool fuse : {false, true}) {
    const std::vector<Transform> list{RandomCrop{32, 32, 4, 9}, RandomHorizontalFlip{}, kCifar, HwcToChw{}};
    for (std::uint64_t index = 0; index < 10; ++index) {
      EXPECT_EQ(RunPixels(list, Kind(32, 32, true), planes, index, fuse).values,
                RunPixels(list, Kind(32, 32, false), pixels, index, fuse).values);
    }
  }
}

TEST(PlanarRows, BecomeHwcUnlessHwcToChwIsAskedFor) {
  const auto planes = Texture(3, 20, 1);
  const Ran ran = RunPixels({RandomHorizontalFlip{0}}, Kind(4, 5, true), planes, 0, true);
  EXPECT_EQ(ran.shape, (Shape{{4, 5, 3}, 3}));
  EXPECT_EQ(ran.values[1], static_cast<float>(planes[20]));
}

}  // namespace
}  // namespace sluice::image
