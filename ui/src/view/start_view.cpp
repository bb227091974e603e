#include "sluice/ui/start_view.h"

#include <algorithm>

namespace sluice::ui {
namespace {

// The next list that has entries, all around; `list` itself where no other has.
std::optional<std::size_t> ListBeside(const std::vector<StartList>& lists, std::size_t list, bool next) {
  for (std::size_t i = 1; i <= lists.size(); ++i) {
    const std::size_t beside = (list + (next ? i : lists.size() - i)) % lists.size();
    if (!lists[beside].entries.empty()) return beside;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StartPlace> MovedTo(const std::vector<StartList>& lists, std::optional<StartPlace> place,
                                  Action action) {
  const bool sideways = action == Action::kNextTab || action == Action::kPreviousTab;
  if (!place || place->list >= lists.size() || lists[place->list].entries.empty()) {
    const auto first = lists.empty() ? std::nullopt : ListBeside(lists, lists.size() - 1, true);
    return first ? std::optional(StartPlace{*first, 0}) : std::nullopt;
  }
  if (sideways)
    place->list = ListBeside(lists, place->list, action == Action::kNextTab).value_or(place->list);
  const std::size_t rows = lists[place->list].entries.size();
  place->row = std::min(place->row, rows - 1);
  if (!sideways) place->row = (place->row + (action == Action::kNextOp ? 1 : rows - 1)) % rows;
  return place;
}

const StartEntry* EntryAt(const std::vector<StartList>& lists, std::optional<StartPlace> place) {
  const bool there = place && place->list < lists.size() && place->row < lists[place->list].entries.size();
  return there ? &lists[place->list].entries[place->row] : nullptr;
}

}  // namespace sluice::ui
