#include "session/player.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Player AMinute(double speed = 1) {
  return {seconds(100), seconds(160), speed};
}

TEST(Player, GoesOnAsFastAsItIsTold) {
  Player player = AMinute(2);
  player.Pass(seconds(3));
  EXPECT_EQ(player.at(), MonoTime(seconds(106)));
  player.Press(Key::kFaster);
  player.Pass(seconds(1));
  EXPECT_EQ(player.at(), MonoTime(seconds(110)));
  player.Press(Key::kSlower);
  player.Press(Key::kSlower);
  player.Press(Key::kSlower);
  player.Pass(seconds(1));
  EXPECT_EQ(player.at(), MonoTime(milliseconds(110'500)));
}

TEST(Player, StopsAtTheEndAndHoweverFastItIs) {
  Player player = AMinute(1000);
  for (int i = 0; i < 20; ++i) player.Press(Key::kFaster);
  player.Pass(std::chrono::hours(24 * 365));
  EXPECT_TRUE(player.at_end());
  EXPECT_EQ(player.at(), MonoTime(seconds(160)));
}

TEST(Player, StaysWhereItIsWhilePaused) {
  Player player = AMinute();
  player.Press(Key::kPause);
  player.Pass(seconds(5));
  EXPECT_EQ(player.at(), MonoTime(seconds(100)));
  player.Press(Key::kForward);
  EXPECT_EQ(player.at(), MonoTime(seconds(101))) << "one can look around all the same";
  player.Press(Key::kPause);
  player.Pass(seconds(5));
  EXPECT_EQ(player.at(), MonoTime(seconds(106)));
}

TEST(Player, JumpsWithinTheRun) {
  Player player = AMinute();
  player.Press(Key::kFarForward);
  player.Press(Key::kForward);
  EXPECT_EQ(player.at(), MonoTime(seconds(111)));
  player.Press(Key::kFarBack);
  player.Press(Key::kFarBack);
  EXPECT_EQ(player.at(), MonoTime(seconds(100))) << "not before the start";
  player.Press(Key::kEnd);
  EXPECT_TRUE(player.at_end());
  player.Press(Key::kStart);
  EXPECT_EQ(player.at(), MonoTime(seconds(100)));
}

std::vector<std::optional<Key>> KeysIn(std::string_view bytes) {
  std::vector<std::optional<Key>> keys;
  while (!bytes.empty()) keys.push_back(TakeKey(bytes));
  return keys;
}

TEST(Keys, AreReadFromWhatTerminalsSend) {
  using Keys = std::vector<std::optional<Key>>;
  EXPECT_EQ(KeysIn("\x1b[D\x1b[C \x1bOH"), (Keys{Key::kBack, Key::kForward, Key::kPause, Key::kStart}));
  EXPECT_EQ(KeysIn("\x1b[5~\x1b[6~+-q"),
            (Keys{Key::kFarBack, Key::kFarForward, Key::kFaster, Key::kSlower, Key::kQuit}));
}

TEST(Keys, OfNoMeaningAreLeftOutWhole) {
  using Keys = std::vector<std::optional<Key>>;
  EXPECT_EQ(KeysIn("\x1b[15~q"), (Keys{std::nullopt, Key::kQuit})) << "the 5 of F5 is no key";
  EXPECT_EQ(KeysIn("\x1b[1;5D\x1b"), (Keys{std::nullopt, std::nullopt}));
  EXPECT_EQ(KeysIn("\x1b["), Keys{std::nullopt});
  EXPECT_EQ(KeysIn("\xc3\xa4q"), (Keys{std::nullopt, Key::kQuit}));
}

}  // namespace
}  // namespace sluice::app
