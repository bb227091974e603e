#include "window/key_queue.h"

#include <gtest/gtest.h>

namespace sluice::ui {
namespace {

constexpr int kUp = 0, kDown = 1;

TEST(KeyQueue, ShowsATapInTwoFrames) {
  KeyQueue keys;
  keys.Add({.key = 'A', .action = kDown});
  keys.Add({.key = 'A', .action = kUp});
  keys.Add({.key = 'A', .action = kDown});
  ASSERT_EQ(keys.Take().size(), 1u);
  const auto second = keys.Take();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].action, kUp);
  EXPECT_EQ(keys.Take().size(), 1u);
  EXPECT_TRUE(keys.empty());
  EXPECT_TRUE(keys.Take().empty());
}

TEST(KeyQueue, LetsNoCharacterOvertakeAKey) {
  KeyQueue keys;
  keys.Add({.key = 341, .action = kDown});
  keys.Add({.key = 341, .action = kUp});
  keys.Add({.key = '6', .action = kDown});
  keys.AddCharacter('6');
  EXPECT_EQ(keys.Take().size(), 1u);
  EXPECT_EQ(keys.Take().size(), 1u) << "control is up before the 6 comes";
  const auto typed = keys.Take();
  ASSERT_EQ(typed.size(), 2u);
  EXPECT_EQ(typed[1].character, static_cast<unsigned int>('6'));
}

TEST(KeyQueue, KeepsAChordInOneFrame) {
  KeyQueue keys;
  keys.Add({.key = 341, .action = kDown});
  keys.Add({.key = 'C', .action = kDown});
  EXPECT_EQ(keys.Take().size(), 2u);
}

}  // namespace
}  // namespace sluice::ui
