#include "loop/display.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sluice/exporters/live_table.h"
#include "sluice/exporters/plain_lines.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kFrame{250};
constexpr std::chrono::seconds kLine{1};
constexpr std::chrono::milliseconds kRatesOver{1000};

bool Utf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos;
  }
  return false;
}

// Understands escape sequences.
bool IsCapableTerminal(int fd) {
  const char* term = std::getenv("TERM");
  return exporters::TerminalScreen::IsTerminal(fd) && (term == nullptr || std::string_view(term) != "dumb");
}

}  // namespace

Display::Kind KindFor(int fd, bool plain) {
  return IsCapableTerminal(fd) && !plain ? Display::Kind::kTable : Display::Kind::kLines;
}

exporters::TextStyle StyleOf(int fd) {
  exporters::TextStyle style;
  const char* no_colour = std::getenv("NO_COLOR");
  style.colour = IsCapableTerminal(fd) && (no_colour == nullptr || *no_colour == '\0');
  style.unicode = Utf8Locale();
  return style;
}

exporters::TextStyle PageStyle(int fd) {
  exporters::TextStyle style = StyleOf(fd);
  if (exporters::TerminalScreen::IsTerminal(fd)) style.width = exporters::TerminalScreen::SizeOf(fd).width;
  return style;
}

Display::Display(Kind kind, std::string scenario, std::string mode, std::optional<MonoTime> started)
    : kind_(kind),
      scenario_(std::move(scenario)),
      mode_(std::move(mode)),
      style_(StyleOf(STDOUT_FILENO)),
      started_(started) {
  if (kind_ == Kind::kTable) screen_ = std::make_unique<exporters::TerminalScreen>(STDOUT_FILENO);
}

void Display::Show(const Agent& agent) {
  const MonoTime now = agent.now().at;
  if (kind_ == Kind::kQuiet) return;
  if (kind_ == Kind::kLines) PrintDecisions(agent);
  if (!drawn_) drawn_ = now;
  const Nanos period = kind_ == Kind::kTable ? Nanos(kFrame) : Nanos(kLine);
  if (now - *drawn_ < period) return;
  drawn_ = now;
  kind_ == Kind::kTable ? Draw(agent) : PrintLine(agent);
}

void Display::SetFooter(std::vector<std::string> lines, const Agent& agent) {
  if (kind_ != Kind::kTable || lines == footer_) return;
  footer_ = std::move(lines);
  drawn_ = agent.now().at;
  Draw(agent);
}

void Display::Close(const Agent& agent) {
  if (kind_ == Kind::kTable) Draw(agent);
  if (kind_ == Kind::kLines) PrintDecisions(agent);
  screen_.reset();
}

void Display::Draw(const Agent& agent) {
  exporters::LiveView view;
  view.scenario = scenario_;
  view.mode = mode_;
  view.start = StartOf(agent);
  view.previous = agent.Before(kRatesOver);
  view.now = agent.now();
  view.decisions = agent.decisions();
  view.verdict = agent.verdict();
  view.starved_history = agent.starved_history();
  view.below = footer_;
  exporters::TextStyle style = style_;
  const exporters::ScreenSize size = screen_->Size();
  style.width = size.width;
  style.height = size.height;
  screen_->Draw(exporters::LiveTable(view, style));
}

void Display::PrintLine(const Agent& agent) {
  std::puts(exporters::ProgressLine(agent.Before(kLine), agent.now(), StartOf(agent), agent.verdict(), style_)
                .c_str());
  Flush();
}

// A decision is told when it is made and again when its fate is known.
void Display::PrintDecisions(const Agent& agent) {
  const auto& entries = agent.decisions().entries();
  told_.resize(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string line = exporters::DecisionLine(entries[i], StartOf(agent), agent.now().knobs, style_);
    if (line == told_[i]) continue;
    std::puts(line.c_str());
    told_[i] = std::move(line);
  }
  Flush();
}

void Display::Flush() {
  if (std::fflush(stdout) != 0 && errno == EPIPE) unread_ = true;
}

MonoTime Display::StartOf(const Agent& agent) const {
  return started_.value_or(agent.first().at);
}

}  // namespace sluice::app
