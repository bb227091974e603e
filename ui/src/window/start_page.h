// StartPage: what there is to look at, listed anew every two seconds, and which entry of it is chosen.
//
// One thread; draws with ImGui.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "panels/panels.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/start_view.h"

namespace sluice::ui {

class StartPage {
 public:
  // `desk` outlives it. `sessions`: nothing but recorded ones.
  StartPage(Desk& desk, bool sessions) : desk_(&desk), sessions_(sessions) {}

  // Returns whether it was listed anew.
  bool Poll(MonoTime now);
  // An arrow's: another entry is chosen.
  void Move(Action action);
  // nullptr: none is.
  [[nodiscard]] const StartEntry* chosen() const { return EntryAt(lists_, place_); }
  // An entry that was clicked.
  std::optional<StartEntry> Draw(const Painter& painter, const std::string& note);

 private:
  Desk* desk_;
  bool sessions_;
  std::vector<StartList> lists_;
  std::optional<MonoTime> listed_;
  std::optional<StartPlace> place_;
  bool moved_ = false;  // since the last frame
};

}  // namespace sluice::ui
