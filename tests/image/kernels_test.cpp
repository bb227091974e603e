#include "kernels.h"

#include <gtest/gtest.h>

#include "image/test_images.h"
#include "sluice/base/rng.h"

namespace sluice::image {
namespace {

constexpr Affine kAffine{{0.017F, 0.018F, 0.016F}, {-2.1F, -2.0F, -1.8F}};

// The processor at hand has fast kernels; others run the portable ones. Both must give the same.
struct Filtered {
  std::vector<float> values;
};

Filtered Filter(const Kernels& kernels, const PackedAxis& axis, const std::vector<std::uint8_t>& row) {
  Filtered filtered{std::vector<float>(axis.row_floats())};
  kernels.filter_row(row.data(), axis, filtered.values.data());
  return filtered;
}

TEST(Kernels, FilterAndBlendTheSameOnEveryProcessor) {
  for (const bool antialias : {false, true}) {
    for (const auto& [from, to] : {std::pair{335, 224}, {37, 224}, {1000, 61}, {500, 9}, {3, 1}, {8, 8}}) {
      AxisFilter filter;
      BuildAxisFilter({from, to, 0, to}, antialias, filter);
      PackedAxis axis;
      PackAxis(filter, antialias, axis);
      std::vector<Filtered> best, portable;
      std::vector<const float*> best_rows, portable_rows;
      for (std::uint64_t k = 0; k < 3; ++k) {
        const auto row = testing::Texture(1, from + axis.slack(), 4, k);
        best.push_back(Filter(BestKernels(), axis, row));
        portable.push_back(Filter(PortableKernels(), axis, row));
        EXPECT_LT(testing::Compare(best[k].values, portable[k].values, 0).largest, 1e-3F)
            << from << " " << to;
      }
      for (std::size_t k = 0; k < 3; ++k) portable_rows.push_back(portable[k].values.data());
      const float weights[] = {0.25F, 0.5F, 0.25F};
      for (const int count : {0, 1, 2, 3}) {
        std::vector<float> a(static_cast<std::size_t>(to) * 3, -9), b = a;
        const RowBlend blend{portable_rows.data(), weights, count};
        BestKernels().blend_rows(blend, kAffine, {a.data(), to, to});
        PortableKernels().blend_rows(blend, kAffine, {b.data(), to, to});
        // A sum on the edge between two grey levels may fall to either side.
        EXPECT_LE(testing::Compare(a, b, 1e-5F).count, 1U) << from << " " << to << " " << count;
        EXPECT_LT(testing::Compare(a, b, 0).largest, 0.019F);
      }
    }
  }
}

TEST(Kernels, NeverWriteBeyondTheirRow) {
  AxisFilter filter;
  BuildAxisFilter({20, 13, 0, 13}, false, filter);
  PackedAxis axis;
  PackAxis(filter, false, axis);
  const auto filtered = Filter(BestKernels(), axis, testing::Texture(1, 20 + axis.slack(), 4));
  const float* rows[] = {filtered.values.data()};
  const float weight = 1;
  std::vector<float> out(3 * 13 + 1, -9);
  BestKernels().blend_rows({rows, &weight, 1}, kAffine, {out.data(), 13, 13});
  EXPECT_EQ(out.back(), -9);
}

TEST(Kernels, ConvertAndSplitTheSameOnEveryProcessor) {
  for (int width = 1; width < 50; ++width) {
    const auto pixels = testing::Texture(3, width, 3);
    std::vector<std::uint8_t> a(static_cast<std::size_t>(width) * 3), b = a;
    BestKernels().split_rgb(pixels.data(), width, a.data(), width);
    PortableKernels().split_rgb(pixels.data(), width, b.data(), width);
    EXPECT_EQ(a, b) << width;
    for (const bool mirrored : {false, true}) {
      std::vector<float> x(static_cast<std::size_t>(width) * 3), y = x;
      const PlaneWindow window{pixels.data(), width + 2, 3, width, mirrored};
      BestKernels().convert_plane(window, 0.01F, -0.5F, x.data());
      PortableKernels().convert_plane(window, 0.01F, -0.5F, y.data());
      EXPECT_LT(testing::Compare(x, y, 0).largest, 1e-6F) << width;
    }
  }
}

}  // namespace
}  // namespace sluice::image
