#include "sluice/wrap/tree_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::wrap {
namespace {

TEST(TreeWatch, HasSeenTheProcessHoweverShortItLooked) {
  TreeWatch watch(getpid(), "MARK=none");
  watch.Stop();
  const TreeUse use = watch.tree();
  EXPECT_EQ(use.processes, 1);
  EXPECT_GT(use.peak_rss, Bytes{0});
}

TEST(TreeWatch, StopsTwiceAndByItsDestructor) {
  TreeWatch watch(getpid(), "MARK=none");
  watch.Stop();
  watch.Stop();
}

TEST(TreeWatch, OfAProcessThatHasGoneSeesNothing) {
  TreeWatch watch(0x7ffffff0, "MARK=none");
  watch.Stop();
  EXPECT_EQ(watch.tree().processes, 0);
}

}  // namespace
}  // namespace sluice::wrap
