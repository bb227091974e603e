// What the window can be told to do, and the keys that do it: each action has a name and a key of its own,
// which the user may change. Values and immutable functions, but for KeyMap::Bind.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/ui/screen.h"

namespace sluice::ui {

// GLFW's codes of keys that are no characters.
enum KeyCode : int {
  kKeyEscape = 256,
  kKeyEnter = 257,
  kKeyBackspace = 259,
  kKeyRight = 262,
  kKeyLeft = 263,
  kKeyDown = 264,
  kKeyUp = 265,
  kKeyEnd = 269,  // the last of those in between
};

struct Key {
  int code = 0;  // GLFW's, which is that of the character where it is one; letters are upper case; 0: none
  bool control = false;
  friend bool operator==(const Key&, const Key&) = default;
};

// Whether pressing the key types a character.
[[nodiscard]] bool Types(Key key);
// Whether a field that is typed into makes use of the key: then it does nothing else.
[[nodiscard]] bool IsForFields(Key key);

// The key that types a character, in the layout in use. `pressed`: the code of the key that went down for it;
// it counts where the character is none of ASCII, so that a Cyrillic keyboard has the keys of a Latin one.
[[nodiscard]] Key KeyTyping(unsigned int character, int pressed);
// A key that types nothing, or one that is held together with Ctrl. `written`: what is on it in the layout in
// use, as GLFW tells; nullptr: nothing.
[[nodiscard]] Key KeyPressed(int code, bool control, const char* written);

// "Ctrl+Z", "Space", "/"; empty: none.
[[nodiscard]] std::string KeyText(Key key);
// The same read back, whatever the case; empty: none. nullopt: there is no such key.
[[nodiscard]] std::optional<Key> ParseKey(std::string_view text);
// The keys that are written as a word.
[[nodiscard]] std::vector<std::string> KeyWords();

struct ActionInfo {
  Action action;
  const char* name;  // "zoom-in": the same in every version
  Key key;           // unless the user has chosen another one
  const char* does;
};
// All of them, in the order of the help.
[[nodiscard]] std::span<const ActionInfo> Actions();
[[nodiscard]] std::optional<Action> ActionNamed(std::string_view name);
[[nodiscard]] const char* NameOf(Action action);

// Which key does what. No two actions have the same key.
class KeyMap {
 public:
  KeyMap();
  void Unbind(Action action);
  // Returns the action that had the key before, and has none now.
  std::optional<Action> Bind(Action action, Key key);
  [[nodiscard]] Key KeyOf(Action action) const;
  [[nodiscard]] std::optional<Action> ActionOf(Key key) const;

 private:
  std::vector<Key> keys_;  // in the order of Actions()
};

// "? keys   Ctrl+P commands   Ctrl+O start page": for the header.
[[nodiscard]] std::string HeaderHint(const KeyMap& keys);
[[nodiscard]] std::string CompareHint(const KeyMap& keys);  // where two runs are shown
// What the empty field of the filter says.
[[nodiscard]] std::string FilterHint(const KeyMap& keys);

}  // namespace sluice::ui
