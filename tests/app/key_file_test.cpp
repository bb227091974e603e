#include "ui/key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ui::Action;
using ui::Key;

KeysRead Read(const std::string& text) {
  return ParseKeys(text, "ui.toml");
}

TEST(KeyFile, ChangesTheKeysThatItNames) {
  const KeysRead read = Read("[keys]\npause = \"F5\"\nundo = \"ctrl+u\"\ntheme = \"\"\n");
  EXPECT_THAT(read.wrong, IsEmpty());
  EXPECT_EQ(ui::KeyText(read.keys.KeyOf(Action::kPause)), "F5");
  EXPECT_EQ(read.keys.ActionOf({'U', true}), Action::kUndo);
  EXPECT_EQ(read.keys.KeyOf(Action::kTheme), Key{});
  EXPECT_EQ(read.keys.ActionOf({'W'}), Action::kZoomIn) << "all others stay";
  EXPECT_THAT(Read("").wrong, IsEmpty());
  EXPECT_THAT(ReadKeys("/nonexistent/ui.toml").wrong, IsEmpty()) << "nobody needs one";
  EXPECT_THAT(ReadKeys("").wrong, IsEmpty());
}

TEST(KeyFile, LetsTwoActionsChangeTheirKeys) {
  const KeysRead read = Read("[keys]\nzoom-out = \"W\"\nzoom-in = \"S\"\n");
  EXPECT_THAT(read.wrong, IsEmpty());
  EXPECT_EQ(read.keys.ActionOf({'W'}), Action::kZoomOut);
  EXPECT_EQ(read.keys.ActionOf({'S'}), Action::kZoomIn);
}

TEST(KeyFile, NamesTheFileTheFieldTheValueAndTheRemedy) {
  const std::string head = "[keys]\npin = \"F2\"\n";
  const auto wrong = [&](const std::string& line) {
    const KeysRead read = Read(head + line + "\n");
    EXPECT_EQ(ui::KeyText(read.keys.KeyOf(Action::kPin)), "F2") << "the rest counts";
    return read.wrong.empty() ? "" : read.wrong[0];
  };
  EXPECT_EQ(wrong("puase = \"F5\""), "ui.toml:3: [keys]: unknown action 'puase' (did you mean 'pause'?)");
  EXPECT_EQ(wrong("pause = \"Spacce\""),
            "ui.toml:3: [keys]: pause: unknown key \"Spacce\" (did you mean 'Space'?)");
  EXPECT_THAT(wrong("pause = \"Ctrl+Spacce\""), HasSubstr("(did you mean 'Ctrl+Space'?)"));
  EXPECT_THAT(wrong("pause = \"Hyper+Meta+J\""), HasSubstr("write for example \"W\""));
  EXPECT_EQ(wrong("pause = 5"), "ui.toml:3: [keys]: pause: must be a string, not 5");
}

TEST(KeyFile, TellsWhoHasLostItsKey) {
  const KeysRead read = Read("[keys]\npause = \"W\"\nfit = \"F2\"\nhold = \"F2\"\n");
  EXPECT_THAT(read.wrong,
              ElementsAre("ui.toml:2: [keys]: pause: \"W\" was the key of zoom-in, which has none now; give "
                          "zoom-in another one, or \"\" for none",
                          HasSubstr("ui.toml:4: [keys]: hold: \"F2\" was the key of fit")));
  EXPECT_EQ(read.keys.ActionOf({'W'}), Action::kPause);
  EXPECT_THAT(Read("[keys]\npause = \"W\"\nzoom-in = \"\"\n").wrong, IsEmpty()) << "as it was told to";
}

TEST(KeyFile, TellsWhatElseIsWrongInTheOrderOfItsLines) {
  EXPECT_THAT(Read("[keys]\nzoom = \"A\"\nback = 1\n").wrong,
              ElementsAre(HasSubstr("ui.toml:2"), HasSubstr("ui.toml:3")));
  EXPECT_THAT(Read("[kyes]\npause = \"W\"\n").wrong, ElementsAre(HasSubstr("did you mean 'keys'")));
  EXPECT_THAT(Read("keys = 3\n").wrong, ElementsAre(HasSubstr("keys must be a table")));
  EXPECT_THAT(Read("[keys\n").wrong, ElementsAre(HasSubstr("ui.toml:1: column")));
  EXPECT_THAT(ReadKeys("/").wrong, ElementsAre(HasSubstr("/: cannot be")));
}

}  // namespace
}  // namespace sluice::app
