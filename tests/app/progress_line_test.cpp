#include "loaders/progress_line.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

constexpr Nanos kWall = 1000s;

ErrorStream Terminal(Nanos written, bool foreground = true) {
  return {.terminal = true, .foreground = foreground, .written = written};
}

TEST(ProgressLine, ComesOnceAMinute) {
  ProgressLine line(Progress::kWhereQuiet, 100s);
  EXPECT_FALSE(line.Due(159s));
  EXPECT_TRUE(line.Due(160s));
  line.Wrote(160s, kWall);
  EXPECT_FALSE(line.Due(219s));
  EXPECT_FALSE(ProgressLine(Progress::kNever, 0s).Due(1h));
}

TEST(ProgressLine, LeavesATerminalAloneThatTheCommandWritesTo) {
  const ProgressLine line(Progress::kWhereQuiet, 0s);
  EXPECT_FALSE(line.Before(Terminal(kWall - 5s), kWall));
  EXPECT_FALSE(line.Before(Terminal(kWall - 31s), kWall)) << "the kernel may have noted it 8 s late";
  EXPECT_FALSE(line.Before(Terminal(kWall - 40s, false), kWall)) << "in the background";
  EXPECT_FALSE(line.Before({}, kWall)) << "a file or a pipe";
}

TEST(ProgressLine, BeginsALineOfItsOwnWhereTheCursorMayStandBehindSomething) {
  ProgressLine line(Progress::kWhereQuiet, 0s);
  EXPECT_EQ(line.Before(Terminal(kWall - 40s), kWall), "\r\n");
  line.Wrote(60s, kWall);
  EXPECT_EQ(line.Before(Terminal(kWall - 1s), kWall + 60s), "") << "the last line was ours";
  EXPECT_FALSE(line.Before(Terminal(kWall + 40s), kWall + 60s));
}

TEST(ProgressLine, IsWrittenInAnyCaseWhereItWasAskedFor) {
  const ProgressLine line(Progress::kAlways, 0s);
  EXPECT_EQ(line.Before({}, kWall), "");
  EXPECT_EQ(line.Before(Terminal(kWall - 1s), kWall), "\r\n");
}

}  // namespace
}  // namespace sluice::app
