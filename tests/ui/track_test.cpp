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

TEST(Curve, ItsCoarserCurvesAreTheSameCurve) {
  for (const int count : {1, 2, 3, 5, 64, 65, 1000}) {
    Curve curve(64);
    for (int i = 0; i < count; ++i) curve.Add({i * 1s, (i + 1) * 1s}, (i * 37) % 101);
    const TimeRange all{0s, count * 1s};
    double least = 1e9, greatest = -1, mean = 0;
    for (const CurvePiece& piece : curve.pieces()) {
      least = std::min(least, piece.least), greatest = std::max(greatest, piece.greatest);
      mean += piece.mean * Seconds(piece.over.length()) / count;
    }
    for (const std::size_t wanted : {1u, 2u, 7u, 16u, 64u}) {
      double l = 1e9, g = -1, m = 0;
      const auto pieces = curve.In(all, wanted);
      for (const CurvePiece& piece : pieces) {
        l = std::min(l, piece.least), g = std::max(g, piece.greatest);
        m += piece.mean * Seconds(piece.over.length()) / count;
      }
      EXPECT_EQ(pieces.front().over.from, all.from);
      EXPECT_EQ(pieces.back().over.to, all.to) << count << " " << wanted;
      EXPECT_EQ(l, least);
      EXPECT_EQ(g, greatest);
      EXPECT_NEAR(m, mean, 1e-9);
      EXPECT_TRUE(pieces.size() >= std::min(wanted, curve.pieces().size()));
      EXPECT_TRUE(pieces.size() <= 2 * wanted + 1 || pieces.size() == 1)
          << pieces.size() << " for " << wanted;
    }
  }
}

TEST(Curve, GivesWhatReachesIntoARange) {
  Curve curve;
  for (int i = 0; i < 1000; ++i) curve.Add({i * 1s, (i + 1) * 1s}, i);
  const auto pieces = curve.In({100s, 110s}, 5);
  EXPECT_LE(pieces.front().over.from, 100s);
  EXPECT_GE(pieces.back().over.to, 110s);
  EXPECT_LE(pieces.size(), 12u);
  EXPECT_TRUE(curve.In({2000s, 3000s}, 5).empty());
  EXPECT_EQ(curve.In({100s, 103s}, 50).size(), 3u) << "there are no more";
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
