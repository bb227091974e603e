#include "sluice/ui/keys.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "sluice/base/check.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

constexpr int kFirstNamed = 256, kKeypadEnter = 335;
constexpr std::string_view kControl = "Ctrl+";

constexpr std::array kWords = std::to_array<std::pair<const char*, int>>({
    {"Space", ' '},  {"Esc", kKeyEscape}, {"Enter", kKeyEnter}, {"Tab", 258},       {"Backspace", 259},
    {"Insert", 260}, {"Delete", 261},     {"Right", kKeyRight}, {"Left", kKeyLeft}, {"Down", kKeyDown},
    {"Up", kKeyUp},  {"PageUp", 266},     {"PageDown", 267},    {"Home", 268},      {"End", kKeyEnd},
    {"F1", 290},     {"F2", 291},         {"F3", 292},          {"F4", 293},        {"F5", 294},
    {"F6", 295},     {"F7", 296},         {"F8", 297},          {"F9", 298},        {"F10", 299},
    {"F11", 300},    {"F12", 301},
});

constexpr std::array kActions = std::to_array<ActionInfo>({
    {Action::kPause, "pause", {' '}, "stop at this moment, or follow again"},
    {Action::kPlay, "play", {'R'}, "play what is past in fast motion, or no longer"},
    {Action::kZoomIn, "zoom-in", {'W'}, "look closer at the time"},
    {Action::kZoomOut, "zoom-out", {'S'}, "look at more of the time"},
    {Action::kLeft, "back", {'A'}, "go back in time"},
    {Action::kRight, "forward", {'D'}, "go on in time"},
    {Action::kFit, "fit", {'F'}, "fit the chosen range, or all of the time"},
    {Action::kMark, "mark", {'M'}, "mark this moment, or forget its mark"},
    {Action::kRange, "range", {'B'}, "choose the range between the mark before and this moment"},
    {Action::kPreviousDecision, "previous-decision", {','}, "to the decision or mark before"},
    {Action::kNextDecision, "next-decision", {'.'}, "to the next decision or mark"},
    {Action::kPreviousOp, "previous-op", {kKeyUp}, "choose the op before, or whatever stands above"},
    {Action::kNextOp, "next-op", {kKeyDown}, "choose the next op, or whatever stands below"},
    {Action::kPreviousTab, "previous-table", {kKeyLeft}, "the table before, or the value before"},
    {Action::kNextTab, "next-table", {kKeyRight}, "the next table, or the next value"},
    {Action::kKnobs, "knobs", {'K'}, "the knobs"},
    {Action::kMore, "more", {'+'}, "more of the chosen knob, before it is applied"},
    {Action::kLess, "less", {'-'}, "less of the chosen knob, before it is applied"},
    {Action::kApply,
     "apply",
     {kKeyEnter},
     "apply what the chosen knob was turned to, or open what is chosen"},
    {Action::kPin, "pin", {'P'}, "pin the chosen knob, or unpin it"},
    {Action::kLeast, "least", {'['}, "the tuner may not go below the chosen value, or may again"},
    {Action::kMost, "most", {']'}, "the tuner may not go above the chosen value, or may again"},
    {Action::kHold, "hold", {'H'}, "hold the tuner, or let it go on"},
    {Action::kUndo, "undo", {'Z', true}, "undo the last change of this window"},
    {Action::kRedo, "redo", {'Y', true}, "make the change again that was undone"},
    {Action::kPreviewAdvice, "preview-advice", {'V'}, "what the tuner's advice would give"},
    {Action::kTakeAdvice, "take-advice", {'G'}, "take the tuner's advice"},
    {Action::kLogCounts, "log-counts", {'L'}, "logarithmic counts in the histogram"},
    {Action::kSearch, "filter", {'/'}, "show only rows with a word in them"},
    {Action::kCopy, "copy", {'C', true}, "copy the table as text, or the command"},
    {Action::kCompare, "compare", {'C'}, "compare a recorded run with another one"},
    {Action::kExport, "export", {'E'}, "write a picture of the window and all figures to files"},
    {Action::kStop, "stop", {'X'}, "end the run that this window has started"},
    {Action::kTheme, "theme", {'T'}, "the next theme"},
    {Action::kLarger, "larger", {'+', true}, "text and all else larger"},
    {Action::kSmaller, "smaller", {'-', true}, "text and all else smaller"},
    {Action::kNormalSize, "normal-size", {'0', true}, "the size that the screen asks for"},
    {Action::kClear, "clear", {kKeyEscape}, "forget help, filter, range and chosen op"},
    {Action::kStart, "start-page", {'O', true}, "to the start page"},
    {Action::kPalette, "palette", {'P', true}, "choose what to do from a list"},
    {Action::kHelp, "help", {'?'}, "the list of keys"},
    {Action::kQuit, "quit", {'Q', true}, "close the window"},
});

bool IsLetter(int c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// One code for what people take for one key: + needs no Shift, and both Enter do the same.
int Plain(int code) {
  if (code == '=') return '+';
  if (code == kKeypadEnter) return kKeyEnter;
  return code >= 'a' && code <= 'z' ? code - 'a' + 'A' : code;
}

std::size_t IndexOf(Action action) {
  const auto found = std::ranges::find(kActions, action, &ActionInfo::action);
  SLUICE_CHECK(found != kActions.end());
  return static_cast<std::size_t>(found - kActions.begin());
}

// Of those that have a key.
std::string Hint(const KeyMap& keys, std::initializer_list<std::pair<Action, const char*>> actions) {
  std::string hint;
  for (const auto& [action, what] : actions) {
    const std::string key = KeyText(keys.KeyOf(action));
    if (!key.empty()) hint += (hint.empty() ? "" : "   ") + key + " " + what;
  }
  return hint;
}

// What Shift is needed for on many keyboards cannot be told from what is on the key without it.
bool GoesWithControl(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || std::string_view(" +=-,./;'[]\\`").contains(c);
}

}  // namespace

bool Types(Key key) {
  return key.code > 0 && key.code < kFirstNamed && !key.control;
}

bool IsForFields(Key key) {
  return Types(key) || (!key.control && key.code >= kKeyEnter && key.code <= kKeyEnd);
}

Key KeyTyping(unsigned int character, int pressed) {
  return {Plain(character < 0x7F ? static_cast<int>(character) : pressed)};
}

Key KeyPressed(int code, bool control, const char* written) {
  const std::string_view text = written == nullptr ? "" : written;
  const bool digit = code >= '0' && code <= '9';  // a French keyboard has them above its signs
  const bool counts = control && text.size() == 1 && !digit;
  return {Plain(counts ? text[0] : code), control};
}

std::string KeyText(Key key) {
  if (key.code == 0) return {};
  const std::string before(key.control ? kControl : "");
  const auto word = std::ranges::find(kWords, key.code, &std::pair<const char*, int>::second);
  return before + (word != kWords.end() ? word->first : std::string(1, static_cast<char>(key.code)));
}

std::optional<Key> ParseKey(std::string_view text) {
  if (text.empty()) return Key{};
  const bool control = internal::Lower(text).starts_with(internal::Lower(kControl));
  if (control) text.remove_prefix(kControl.size());
  for (const auto& [word, code] : kWords) {
    if (internal::Lower(word) == internal::Lower(text)) return Key{code, control};
  }
  const bool sign = text.size() == 1 && text[0] > ' ' && text[0] < 0x7F;
  if (!sign || (control && !GoesWithControl(text[0]))) return std::nullopt;
  return Key{Plain(text[0]), control};
}

std::vector<std::string> KeyWords() {
  std::vector<std::string> words;
  words.reserve(kWords.size());
  for (const auto& [word, code] : kWords) words.emplace_back(word);
  return words;
}

std::span<const ActionInfo> Actions() {
  return kActions;
}

std::optional<Action> ActionNamed(std::string_view name) {
  const auto found = std::ranges::find(kActions, name, &ActionInfo::name);
  return found == kActions.end() ? std::nullopt : std::optional(found->action);
}

const char* NameOf(Action action) {
  return kActions[IndexOf(action)].name;
}

KeyMap::KeyMap() {
  for (const ActionInfo& info : kActions) keys_.push_back(info.key);
}

void KeyMap::Unbind(Action action) {
  keys_[IndexOf(action)] = {};
}

std::optional<Action> KeyMap::Bind(Action action, Key key) {
  const std::optional<Action> had = ActionOf(key);
  if (had) Unbind(*had);
  keys_[IndexOf(action)] = key;
  return had == action ? std::nullopt : had;
}

Key KeyMap::KeyOf(Action action) const {
  return keys_[IndexOf(action)];
}

std::optional<Action> KeyMap::ActionOf(Key key) const {
  const auto found = key.code == 0 ? keys_.end() : std::ranges::find(keys_, key);
  if (found == keys_.end()) return std::nullopt;
  return kActions[static_cast<std::size_t>(found - keys_.begin())].action;
}

std::string HeaderHint(const KeyMap& keys) {
  return Hint(keys,
              {{Action::kHelp, "keys"}, {Action::kPalette, "commands"}, {Action::kStart, "start page"}});
}

std::string CompareHint(const KeyMap& keys) {
  return Hint(keys, {{Action::kHelp, "keys"}, {Action::kCompare, "another"}, {Action::kClear, "back"}});
}

std::string FilterHint(const KeyMap& keys) {
  const std::string key = KeyText(keys.KeyOf(Action::kSearch));
  return key.empty() ? "show rows with a word" : key + " shows rows with a word";
}

}  // namespace sluice::ui
