#include "sluice/ui/track.h"

#include <gtest/gtest.h>

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;

TEST(Curve, KeepsTheWholePastAndEveryPeakInBoundedRoom) {
  Curve curve(64);
  for (int i = 0; i < 100'000; ++i) curve.Add({i * 1s, (i + 1) * 1s}, i == 777 ? 500 : 1);
  EXPECT_LE(curve.pieces().size(), 64u);
  EXPECT_EQ(curve.pieces().front().over.from, 0s);
  EXPECT_EQ(curve.pieces().back().over.to, 100'000s);
  double greatest = 0;
  for (const CurvePiece& piece : curve.pieces()) greatest = std::max(greatest, piece.greatest);
  EXPECT_EQ(greatest, 500);
}

TEST(Curve, KnowsTheMeanOfWhatItPutsTogetherByTime) {
  Curve curve(2);
  curve.Add({0s, 3s}, 10);
  curve.Add({3s, 4s}, 50);
  curve.Add({4s, 8s}, 7);
  ASSERT_EQ(curve.pieces().size(), 2u);
  EXPECT_EQ(curve.pieces().front().mean, 20);
}

TEST(Curve, LeavesOutWhatIsNoNumber) {
  Curve curve;
  curve.Add({0s, 1s}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(curve.pieces().empty());
}

TEST(Decimate, ShowsAPeakThatIsNarrowerThanAPixel) {
  Curve curve;
  for (int i = 0; i < 1000; ++i) curve.Add({i * 1ms, (i + 1) * 1ms}, i == 501 ? 9 : 1);
  const auto columns = Decimate(curve, {0s, 1s}, 10);
  ASSERT_EQ(columns.size(), 10u);
  EXPECT_EQ(columns[5], (Column{1, 9}));
  EXPECT_EQ(columns[2], (Column{1, 1}));
}

TEST(Decimate, LeavesOutWhatIsNotKnown) {
  Curve curve;
  curve.Add({2s, 3s}, 4);
  const auto columns = Decimate(curve, {0s, 10s}, 10);
  EXPECT_FALSE(columns[0]);
  EXPECT_TRUE(columns[2]);
  EXPECT_FALSE(columns[5]);
  EXPECT_TRUE(Decimate(curve, {1s, 1s}, 4).size() == 4) << "an empty range is no division by zero";
}

TEST(Zoomed, KeepsTheMomentUnderThePointer) {
  const TimeRange shown = Zoomed({0s, 100s}, {0s, 100s}, 25s, 0.5);
  EXPECT_EQ(shown.length(), 50s);
  EXPECT_EQ((25s - shown.from) * 4, shown.length());
}

TEST(Zoomed, StaysWithinWhatThereIs) {
  EXPECT_EQ(Zoomed({40s, 60s}, {0s, 100s}, 50s, 1000), (TimeRange{0s, 100s}));
  EXPECT_EQ(Zoomed({0s, 1ms}, {0s, 100s}, 0s, 0.001).length(), 1ms);
  EXPECT_EQ(Moved({40s, 60s}, {0s, 100s}, 90s), (TimeRange{80s, 100s}));
  EXPECT_EQ(Moved({40s, 60s}, {0s, 100s}, -90s), (TimeRange{0s, 20s}));
}

}  // namespace
}  // namespace sluice::ui
