#include "sluice/ui/keys.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace sluice::ui {
namespace {

constexpr int kKeyF5 = 294, kKeypadEnter = 335, kKeypadAdd = 334;

TEST(Actions, HaveEachANameAKeyOfItsOwnAndAnExplanation) {
  std::set<std::string> names, keys;
  const KeyMap map;
  for (const ActionInfo& info : Actions()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(std::string(info.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos);
    EXPECT_TRUE(keys.insert(KeyText(info.key)).second) << info.name;
    EXPECT_NE(std::string(info.does), "");
    EXPECT_EQ(map.ActionOf(info.key), info.action);
    EXPECT_EQ(ActionNamed(info.name), info.action);
    EXPECT_STREQ(NameOf(info.action), info.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Action::kQuit) + 1) << "every action is listed";
  EXPECT_FALSE(map.ActionOf({'N'}));
  EXPECT_FALSE(ActionNamed("puase"));
}

TEST(Actions, AreInTheDocumentationWithTheirKeys) {
  std::ifstream file(SLUICE_DOCS "/ui.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const ActionInfo& info : Actions()) {
    const std::string row = "| `" + KeyText(info.key) + "` | `" + info.name + "` | ";
    EXPECT_THAT(text, testing::HasSubstr(row));
  }
}

TEST(KeyText, IsReadBack) {
  for (const ActionInfo& info : Actions()) EXPECT_EQ(ParseKey(KeyText(info.key)), info.key) << info.name;
  EXPECT_EQ(KeyText({kKeyF5, true}), "Ctrl+F5");
  for (const std::string& word : KeyWords()) EXPECT_EQ(KeyText(ParseKey(word).value()), word);
}

TEST(ParseKey, TakesWhatPeopleWrite) {
  EXPECT_EQ(ParseKey("ctrl+z"), (Key{'Z', true}));
  EXPECT_EQ(ParseKey("space"), (Key{' '}));
  EXPECT_EQ(ParseKey("w"), (Key{'W'}));
  EXPECT_EQ(ParseKey("="), ParseKey("+")) << "one key has both";
  EXPECT_EQ(ParseKey("Ctrl++"), (Key{'+', true}));
  EXPECT_EQ(ParseKey(""), Key{}) << "none";
}

TEST(ParseKey, RefusesWhatNoKeyboardHas) {
  for (const char* text : {"Spacce", "Alt+X", "Ctrl+", "Ctrl+?", "WW", " ", "\xc3\xa4", "Ctrl+Ctrl+Z"})
    EXPECT_FALSE(ParseKey(text)) << text;
}

TEST(KeyTyping, IsTheKeyOfTheCharacterWhereverItIs) {
  EXPECT_EQ(KeyTyping('w', 'Z'), (Key{'W'}));
  EXPECT_EQ(KeyTyping('/', '7'), (Key{'/'})) << "Shift and 7 in Germany";
  EXPECT_EQ(KeyTyping('=', '='), KeyTyping('+', ']'));
  EXPECT_EQ(KeyTyping(0x446, 'W'), (Key{'W'})) << "a Cyrillic letter";
}

TEST(KeyPressed, GoesByWhatIsWrittenOnTheKey) {
  EXPECT_EQ(KeyPressed('Y', true, "z"), (Key{'Z', true})) << "a German keyboard";
  EXPECT_EQ(KeyPressed('Z', true, "\xd1\x8f"), (Key{'Z', true})) << "a Cyrillic one";
  EXPECT_EQ(KeyPressed('0', true, "@"), (Key{'0', true})) << "a French one";
  EXPECT_EQ(KeyPressed(kKeypadAdd, true, "+"), (Key{'+', true}));
  EXPECT_EQ(KeyPressed(kKeypadEnter, false, nullptr), (Key{kKeyEnter}));
  EXPECT_TRUE(Types(KeyPressed('W', false, "w"))) << "that comes as a character";
  EXPECT_FALSE(Types(KeyPressed('W', true, "w")));
  EXPECT_FALSE(Types(KeyPressed(kKeyEscape, false, nullptr)));
}

TEST(Fields, HaveTheKeysThatTheyMakeUseOf) {
  for (const char* key : {"W", "Space", "Enter", "Tab", "Backspace", "Left", "Up", "End"})
    EXPECT_TRUE(IsForFields(ParseKey(key).value())) << key;
  for (const char* key : {"Esc", "F5", "Ctrl+W", "Ctrl+Enter"})
    EXPECT_FALSE(IsForFields(ParseKey(key).value())) << key;
}

TEST(KeyMap, HasOneActionForEachKey) {
  KeyMap map;
  EXPECT_EQ(map.Bind(Action::kPause, {'W'}), Action::kZoomIn) << "who had it before";
  EXPECT_EQ(map.ActionOf({'W'}), Action::kPause);
  EXPECT_FALSE(map.ActionOf({' '}));
  EXPECT_EQ(map.KeyOf(Action::kZoomIn), Key{});
  EXPECT_EQ(map.Bind(Action::kPause, {'W'}), std::nullopt) << "it had it itself";
  EXPECT_EQ(map.Bind(Action::kTheme, {}), std::nullopt);
  EXPECT_EQ(map.Bind(Action::kHold, {}), std::nullopt) << "any number of actions have none";
  EXPECT_FALSE(map.ActionOf({})) << "no key is no key";
}

TEST(Hints, TellTheKeysInForce) {
  KeyMap map;
  EXPECT_EQ(HeaderHint(map), "? keys   Ctrl+P commands   Ctrl+O start page");
  EXPECT_EQ(FilterHint(map), "/ shows rows with a word");
  map.Bind(Action::kHelp, {kKeyF5});
  map.Unbind(Action::kStart);
  map.Unbind(Action::kSearch);
  EXPECT_EQ(HeaderHint(map), "F5 keys   Ctrl+P commands");
  EXPECT_EQ(FilterHint(map), "show rows with a word");
}

}  // namespace
}  // namespace sluice::ui
