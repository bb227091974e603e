// The palette of commands: all that the window can be told to do, found by typing some of its words. Values
// and immutable functions; the window keeps one CommandWish while the palette is open.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/ui/keys.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/screen.h"

namespace sluice::ui {

enum class CommandKind : std::uint8_t { kAction, kOp, kKnob, kTable, kSort, kRank, kTheme };

struct Command {
  CommandKind kind{};
  Action action{};       // of kAction
  std::size_t item = 0;  // of the others: which one
  std::string words{};   // "undo the last change of this window", "op: decode"
  std::string name{};    // of kAction: "undo"
  std::string key{};     // "Ctrl+Z"; empty: none
};

// What has a meaning on the page; the scene is that of the run that it shows, and `tab` its table.
[[nodiscard]] std::vector<Command> Commands(const KeyMap& keys, Page page, const Scene& scene, Tab tab);
// Those that have each of the words that are typed, whatever the case and the order. First the one that is
// called so, then those that begin so.
[[nodiscard]] std::vector<Command> Matching(std::vector<Command> commands, const std::string& typed);

struct CommandWish {
  std::string typed{};
  std::size_t row = 0;  // chosen, of those that match
};
// A character more, or the last one taken back: the first row is chosen.
[[nodiscard]] CommandWish WithTyped(CommandWish wish, unsigned int character);
[[nodiscard]] CommandWish WithErased(CommandWish wish);
// Another of so many rows, all around.
[[nodiscard]] CommandWish WithRow(CommandWish wish, int by, std::size_t rows);

// What is chosen after the command. A table that is sorted by that column already turns around. REQUIRES: it
// is no action, nor a rank.
[[nodiscard]] Choice After(Choice choice, const Command& command);

}  // namespace sluice::ui
