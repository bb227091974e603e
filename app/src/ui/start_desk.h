// What the window's start page lists, and how an entry of it is opened or started. One thread.
#pragma once
#include <string>
#include <vector>

#include "sluice/ui/feed.h"

namespace sluice::app {

class StartDesk : public ui::Desk {
 public:
  [[nodiscard]] std::vector<ui::StartList> Lists() override;
  [[nodiscard]] Result<std::unique_ptr<ui::Feed>> Open(const std::string& what) override;
  [[nodiscard]] Result<ui::Plan> PlanOf(const std::string& scenario) override;
  [[nodiscard]] std::string CommandOf(const ui::Plan& plan) override;
  [[nodiscard]] Result<std::unique_ptr<ui::Started>> Start(const ui::Plan& plan) override;

 private:
  std::vector<ui::StartList> scenarios_;  // read once
};

// Session files that were looked at lately, the latest first, each with its whole path; and those in the
// working directory. They are kept in $XDG_STATE_HOME/sluice/recent-sessions.
[[nodiscard]] std::vector<std::string> RecentSessions();
// Does nothing where it is no file.
void RememberSession(const std::string& file);

}  // namespace sluice::app
