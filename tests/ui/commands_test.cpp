#include "sluice/ui/commands.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Found(const std::string& typed) {
  const Scene scene = MadeScene();
  std::vector<std::string> words;
  for (const Command& command : Matching(Commands({}, Page::kFeed, scene, Tab::kOps), typed))
    words.push_back(command.words);
  return words;
}

TEST(Commands, HaveEveryActionButTheOneThatOpensThem) {
  const Scene scene = MadeScene();
  const auto commands = Commands({}, Page::kFeed, scene, Tab::kOps);
  for (const ActionInfo& info : Actions()) {
    const auto same = [&](const Command& c) {
      return c.kind == CommandKind::kAction && c.action == info.action;
    };
    EXPECT_EQ(std::ranges::count_if(commands, same), info.action == Action::kPalette ? 0 : 1) << info.name;
  }
}

TEST(Commands, ShowTheKeysInForce) {
  KeyMap keys;
  keys.Bind(Action::kUndo, {'U'});
  keys.Unbind(Action::kRedo);
  const auto key_of = [&](const char* name) {
    return Matching(Commands(keys, Page::kStart, {}, Tab::kOps), name).at(0).key;
  };
  EXPECT_EQ(key_of("quit"), "Ctrl+Q");
  const Scene scene = MadeScene();
  EXPECT_EQ(Matching(Commands(keys, Page::kFeed, scene, Tab::kOps), "undo").at(0).key, "U");
  EXPECT_EQ(Matching(Commands(keys, Page::kFeed, scene, Tab::kOps), "redo").at(0).key, "");
}

TEST(Commands, OfTheStartPageAreThoseThatMeanSomethingThere) {
  for (const Command& command : Commands({}, Page::kStart, {}, Tab::kOps))
    EXPECT_TRUE(command.kind == CommandKind::kTheme || HasMeaning(command.action, Page::kStart))
        << command.words;
  EXPECT_THAT(Matching(Commands({}, Page::kStart, {}, Tab::kOps), "undo"), IsEmpty());
}

TEST(Matching, WantsEachWordInAnyOrderAndCase) {
  EXPECT_THAT(Found("op: decode"), ElementsAre("op: decode"));
  EXPECT_THAT(Found("DECODE op:"), ElementsAre("op: decode"));
  EXPECT_THAT(Found("  workers   decode "), ElementsAre("knob: decode.workers"));
  EXPECT_THAT(Found("theme light"), ElementsAre("theme: light"));
  EXPECT_THAT(Found("table machine"), ElementsAre("table: machine"));
  EXPECT_THAT(Found("decode nothing"), IsEmpty());
  EXPECT_GT(Found("").size(), Actions().size());
}

TEST(Matching, HasFirstWhatIsCalledSo) {
  EXPECT_EQ(Found("knobs").at(0), "the knobs") << "others tell of knobs before it";
  EXPECT_EQ(Found("Theme").at(0), "the next theme");
  EXPECT_EQ(Found("knob").at(1), "knob: decode.workers") << "behind the action that begins so";
  EXPECT_EQ(Found("").at(0), "stop at this moment, or follow again") << "nothing typed: as in the help";
}

TEST(Typing, LosesNoCharacterAndChoosesTheFirstRow) {
  CommandWish wish;
  for (const unsigned int c : {0x64U, 0xE4U, 0x20ACU, 0x1F600U}) wish = WithTyped(WithRow(wish, 1, 5), c);
  EXPECT_EQ(wish.typed, "d\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(wish.row, 0U);
  for (const char* left : {"d\xc3\xa4\xe2\x82\xac", "d\xc3\xa4", "d", "", ""}) {
    wish = WithErased(WithRow(wish, 1, 5));
    EXPECT_EQ(wish.typed, left);
    EXPECT_EQ(wish.row, 0U);
  }
}

TEST(Rows, AreChosenAllAround) {
  EXPECT_EQ(WithRow({}, 1, 3).row, 1U);
  EXPECT_EQ(WithRow({}, -1, 3).row, 2U);
  EXPECT_EQ(WithRow({.row = 2}, 1, 3).row, 0U);
  EXPECT_EQ(WithRow({.row = 2}, 1, 0).row, 0U) << "nothing matches";
}

TEST(ACommand, ChoosesWhatItNames) {
  const Scene scene = MadeScene();
  const auto done = [&](const char* typed) {
    Choice choice;
    choice.tab = Tab::kMachine;
    choice.wanted = 5;
    return After(choice, Matching(Commands({}, Page::kFeed, scene, Tab::kOps), typed).at(0));
  };
  EXPECT_EQ(done("op: decode").op, 1U);
  EXPECT_EQ(done("op: decode").tab, Tab::kOps);
  EXPECT_EQ(done("knob: decode").knob, 0U);
  EXPECT_EQ(done("knob: decode").tab, Tab::kKnobs);
  EXPECT_FALSE(done("knob: decode").wanted) << "that was of another knob";
  EXPECT_EQ(done("table: ranks").tab, Tab::kRanks);
  EXPECT_EQ(done("theme: contrast").theme, Theme::kContrast);
}

TEST(PaletteChoice, SortsTheTableAndTurnsTheOrderAround) {
  const Scene scene = MadeScene();
  const auto by = Matching(Commands({}, Page::kFeed, scene, Tab::kOps), "sort ops p99").at(0);
  EXPECT_EQ(by.kind, CommandKind::kSort);
  Choice choice = After(Choice{}, by);
  EXPECT_EQ(choice.table().sort, by.item);
  EXPECT_FALSE(choice.table().descending);
  choice = After(After(choice, by), by);
  EXPECT_FALSE(choice.table().descending);
  EXPECT_TRUE(After(choice, by).table().descending);
}

TEST(PaletteChoice, HasTheOtherRanks) {
  Scene scene = MadeScene();
  scene.ranks = {{.name = "rank 0", .shown = true}, {.name = "rank 1"}};
  const auto ranks = Matching(Commands({}, Page::kFeed, scene, Tab::kOps), "rank:");
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].item, 1u);
}

}  // namespace
}  // namespace sluice::ui
