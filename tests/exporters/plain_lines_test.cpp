#include "sluice/exporters/plain_lines.h"

#include <gtest/gtest.h>

#include "comma_locale.h"
#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, TellsThroughputEveryOpAndTheLimit) {
  const CommaLocale commas;
  const LiveView view = example::View();
  EXPECT_EQ(ProgressLine(view.previous, view.now, view.start, view.verdict),
            "t=12.4s  12.1 batches/s  755 rows/s  starved 62% | read 1w busy 34% | shuffle 1w busy 2% | "
            "decode 2w busy 98% *limits* | augment 1w busy 41% | batch 1w busy 8%");
}

TEST(ProgressLine, ShowsDashesBeforeThereIsAnInterval) {
  const LiveView view = example::View();
  EXPECT_EQ(ProgressLine(Snapshot{}, view.now, view.start, Verdict{}).substr(0, 48),
            "t=12.4s  – batches/s  – rows/s  starved – ");
  EXPECT_EQ(ProgressLine(Snapshot{}, Snapshot{}, MonoTime(0), Verdict{}, {80, 24, false, false}),
            "t=0.0s  - items/s  - rows/s  starved -");
}

TEST(ProgressText, TellsOfTheLoaderWithTheMostTime) {
  EXPECT_EQ(ProgressText(125s, {{"t.py: validation", 0, 90, Fraction{0.1}, 5s},
                                {"t.py: loader", 2, 14.2, Fraction{0.37}, 100s}}),
            "125s: epoch 3, 14.2 batches/s, 37% waiting (t.py: loader)");
  EXPECT_EQ(ProgressText(1s, {}), "");
  EXPECT_EQ(ProgressText(1s, {{"t.py: loader", 0, 0, {}, 0s}}), "") << "nothing to say yet";
}

}  // namespace
}  // namespace sluice::exporters
