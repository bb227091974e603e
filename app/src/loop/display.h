// Display: shows a run while it goes on: a table redrawn in place on a terminal, plain lines elsewhere,
// nothing when quiet. One thread (the agent's).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/agent.h"
#include "sluice/exporters/terminal_screen.h"
#include "sluice/exporters/text_style.h"

namespace sluice::app {

class Display {
 public:
  enum class Kind : std::uint8_t { kTable, kLines, kQuiet };
  // `started`: the start of a run that began before the agent looked; else times count from its first look.
  Display(Kind kind, std::string scenario, std::string mode, std::optional<MonoTime> started = {});

  // Called at every tick; draws when it is time to.
  void Show(const Agent& agent);
  // Lines below the table from now on, drawn at once.
  void SetFooter(std::vector<std::string> lines, const Agent& agent);
  // The last frame; gives the terminal back.
  void Close(const Agent& agent);
  // Nobody reads standard output any more: the pipe behind it is closed.
  [[nodiscard]] bool unread() const { return unread_; }

 private:
  void Draw(const Agent& agent);
  void PrintLine(const Agent& agent);
  void PrintDecisions(const Agent& agent);
  void Flush();
  [[nodiscard]] MonoTime StartOf(const Agent& agent) const;

  const Kind kind_;
  const std::string scenario_;
  const std::string mode_;
  const exporters::TextStyle style_;
  const std::optional<MonoTime> started_;
  std::unique_ptr<exporters::TerminalScreen> screen_;
  std::vector<std::string> footer_;
  std::optional<MonoTime> drawn_;
  bool unread_ = false;
  std::vector<std::string> told_;  // what was printed of each decision, by its place in the log
};

// The table on a terminal that can redraw, lines elsewhere or where `plain`.
[[nodiscard]] Display::Kind KindFor(int fd, bool plain);

// What `fd` can show: colours (not with NO_COLOR), UTF-8 by locale.
[[nodiscard]] exporters::TextStyle StyleOf(int fd);
// The same for a page of text, as wide as the terminal where `fd` is one.
[[nodiscard]] exporters::TextStyle PageStyle(int fd);

}  // namespace sluice::app
