#include "sluice/ui/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sluice/base/check.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

using internal::Lower;

void AddPlaces(std::vector<Command>& commands, const Scene& scene, Tab shown) {
  for (std::size_t op = 0; op < scene.ops.size(); ++op)
    commands.push_back({.kind = CommandKind::kOp, .item = op, .words = "op: " + internal::OpName(scene, op)});
  for (std::size_t knob = 0; knob < scene.now.knobs.size(); ++knob)
    commands.push_back(
        {.kind = CommandKind::kKnob, .item = knob, .words = "knob: " + scene.now.knobs[knob].name});
  for (std::size_t tab = 0; tab < static_cast<std::size_t>(Tab::kCount); ++tab)
    commands.push_back({.kind = CommandKind::kTable,
                        .item = tab,
                        .words = std::string("table: ") + TabName(static_cast<Tab>(tab))});
  const std::vector<TableColumn> columns = MakeTable(shown, scene).columns;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].name.empty()) continue;
    commands.push_back({.kind = CommandKind::kSort,
                        .item = column,
                        .words = fmt::format("sort {} by: {}", TabName(shown), columns[column].name)});
  }
  for (std::size_t rank = 0; rank < scene.ranks.size(); ++rank) {
    if (!scene.ranks[rank].shown)
      commands.push_back(
          {.kind = CommandKind::kRank, .item = rank, .words = "rank: " + scene.ranks[rank].name});
  }
}

bool Has(const Command& command, const std::string& typed) {
  const std::string all = Lower(command.words + " " + command.name);
  std::istringstream words(Lower(typed));
  for (std::string word; words >> word;) {
    if (!all.contains(word)) return false;
  }
  return true;
}

int Rank(const Command& command, const std::string& typed) {
  if (typed.empty() || command.name == typed) return 0;
  return command.name.starts_with(typed) || Lower(command.words).starts_with(typed) ? 1 : 2;
}

}  // namespace

std::vector<Command> Commands(const KeyMap& keys, Page page, const Scene& scene, Tab tab) {
  std::vector<Command> commands;
  for (const ActionInfo& info : Actions()) {
    if (info.action == Action::kPalette || !HasMeaning(info.action, page)) continue;
    commands.push_back({.kind = CommandKind::kAction,
                        .action = info.action,
                        .words = info.does,
                        .name = info.name,
                        .key = KeyText(keys.KeyOf(info.action))});
  }
  if (page == Page::kFeed) AddPlaces(commands, scene, tab);
  for (std::size_t theme = 0; theme < static_cast<std::size_t>(Theme::kCount); ++theme)
    commands.push_back({.kind = CommandKind::kTheme,
                        .item = theme,
                        .words = std::string("theme: ") + ThemeName(static_cast<Theme>(theme))});
  return commands;
}

std::vector<Command> Matching(std::vector<Command> commands, const std::string& typed) {
  std::erase_if(commands, [&](const Command& command) { return !Has(command, typed); });
  std::ranges::stable_sort(commands, {},
                           [begin = Lower(typed)](const Command& command) { return Rank(command, begin); });
  return commands;
}

CommandWish WithTyped(CommandWish wish, unsigned int character) {
  internal::AppendCharacter(wish.typed, character);
  wish.row = 0;
  return wish;
}

CommandWish WithErased(CommandWish wish) {
  internal::EraseCharacter(wish.typed);
  wish.row = 0;
  return wish;
}

CommandWish WithRow(CommandWish wish, int by, std::size_t rows) {
  const auto count = static_cast<std::ptrdiff_t>(rows);
  const auto row = static_cast<std::ptrdiff_t>(wish.row) + by;
  wish.row = count == 0 ? 0 : static_cast<std::size_t>((row % count + count) % count);
  return wish;
}

Choice After(Choice choice, const Command& command) {
  switch (command.kind) {
    case CommandKind::kOp:
      choice.op = command.item;
      choice.tab = Tab::kOps;
      break;
    case CommandKind::kKnob:
      choice.knob = command.item;
      choice.wanted.reset();
      choice.tab = Tab::kKnobs;
      break;
    case CommandKind::kTable:
      choice.tab = static_cast<Tab>(command.item);
      break;
    case CommandKind::kSort: {
      TableWish& wish = choice.table();
      wish.descending = wish.sort == command.item && !wish.descending;
      wish.sort = command.item;
      break;
    }
    case CommandKind::kTheme:
      choice.theme = static_cast<Theme>(command.item);
      break;
    case CommandKind::kRank:
    case CommandKind::kAction:
      SLUICE_CHECK(false && "an action is done by the window");
  }
  return choice;
}

}  // namespace sluice::ui
