#include "window/start_page.h"

#include <utility>

namespace sluice::ui {
namespace {

constexpr std::chrono::seconds kListEvery{2};

}  // namespace

bool StartPage::Poll(MonoTime now) {
  if (listed_ && now - *listed_ < kListEvery) return false;
  lists_ = desk_->Lists();
  if (sessions_) std::erase_if(lists_, [](const StartList& list) { return !list.sessions; });
  listed_ = now;
  return true;
}

void StartPage::Move(Action action) {
  place_ = MovedTo(lists_, place_, action);
  moved_ = true;
}

std::optional<StartEntry> StartPage::Draw(const Painter& painter, const std::string& note) {
  return DrawStart(painter, lists_, place_, std::exchange(moved_, false), note);
}

}  // namespace sluice::ui
