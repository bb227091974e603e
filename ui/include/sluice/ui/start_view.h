// Which entry of the start page is chosen. Immutable functions.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sluice/ui/feed.h"
#include "sluice/ui/screen.h"

namespace sluice::ui {

struct StartPlace {
  std::size_t list = 0, row = 0;
  friend bool operator==(const StartPlace&, const StartPlace&) = default;
};

// One entry up or down, or in the list on the left or right that has any, all around. nullopt: there is no
// entry. Entries may have come and gone since `place` was chosen. REQUIRES: the action is one of the arrows'.
[[nodiscard]] std::optional<StartPlace> MovedTo(const std::vector<StartList>& lists,
                                                std::optional<StartPlace> place, Action action);
// nullptr: it is not there any more.
[[nodiscard]] const StartEntry* EntryAt(const std::vector<StartList>& lists, std::optional<StartPlace> place);

}  // namespace sluice::ui
