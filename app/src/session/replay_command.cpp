#include "session/replay_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "loop/display.h"
#include "loop/key_terminal.h"
#include "loop/stop_signals.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "session/choose_pipeline.h"
#include "session/keys.h"
#include "session/player.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/exporters/live_table.h"
#include "sluice/exporters/plain_lines.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/exporters/session_view.h"
#include "sluice/exporters/terminal_screen.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kFrame{100};
constexpr std::chrono::seconds kLine{1};

// One pipeline of a session, and where its reader begins.
struct Recorded {
  exporters::SessionReader session;
  std::size_t pipeline = 0;
  exporters::DecisionLog decisions;
  MonoTime begin{0};

  [[nodiscard]] const exporters::RecordedPipeline& it() const { return session.pipelines()[pipeline]; }
  [[nodiscard]] MonoTime first() const { return it().moments.front().at; }
  [[nodiscard]] MonoTime last() const { return it().moments.back().at; }
  [[nodiscard]] Result<exporters::LiveView> ViewAt(std::size_t moment) const {
    return exporters::ViewAt(session, pipeline, moment, decisions);
  }
};

Result<Recorded> Open(const ReplayOptions& options, Nanos begin) {
  auto session = exporters::SessionReader::Open(options.session);
  if (!session) return std::unexpected(session.error());
  const auto chosen = ChoosePipeline(*session, options.loader);
  if (!chosen) return std::unexpected(chosen.error());
  auto decisions = session->Decisions(*chosen);
  if (!decisions) return std::unexpected(decisions.error());
  Recorded recorded{std::move(*session), *chosen, std::move(*decisions)};
  recorded.begin = recorded.first() + std::min(begin, recorded.last() - recorded.first());
  return recorded;
}

std::string ModeText(const Recorded& recorded, const Player& player) {
  const auto since = [&](MonoTime when) { return FormatDuration(when - recorded.first()); };
  return fmt::format("recorded, {} of {}, {}", since(player.at()), since(recorded.last()),
                     player.paused() ? "paused" : fmt::format("{:g} times as fast", player.speed()));
}

constexpr const char* kKeyHelp =
    "space stop/go   left/right 1s   page up/down 10s   home/end   +/- speed   q leave";

// The table on the terminal, until its reader leaves.
class Theatre {
 public:
  Theatre(const Recorded& recorded, double speed)
      : recorded_(recorded), player_(recorded.first(), recorded.last(), speed) {
    player_.Seek(recorded.begin);
    signals_.OnStop([this] { leaving_ = true; });
  }

  int Play() {
    MonoTime before = MonoNow();
    while (!leaving_) {
      if (const auto drawn = Draw(); !drawn) return Complain(drawn.error(), kExitFailed);
      for (std::string_view bytes = keys_.Wait(kFrame); !bytes.empty();) Press(TakeKey(bytes));
      const MonoTime now = MonoNow();
      player_.Pass(now - before);
      before = now;
    }
    return signals_.received() != 0 ? kExitSignal + signals_.received() : kExitDone;
  }

 private:
  void Press(std::optional<Key> key) {
    if (!key) return;
    if (*key == Key::kQuit) leaving_ = true;
    player_.Press(*key);
  }

  Result<void> Draw() {
    auto view = recorded_.ViewAt(recorded_.it().Until(player_.at()));
    if (!view) return std::unexpected(view.error());
    view->mode = ModeText(recorded_, player_);
    exporters::TextStyle style = StyleOf(STDOUT_FILENO);
    const exporters::ScreenSize size = screen_.Size();
    style.width = size.width;
    style.height = size.height - 1;
    auto lines = exporters::LiveTable(*view, style);
    lines.push_back(std::string(kKeyHelp).substr(0, static_cast<std::size_t>(size.width)));
    screen_.Draw(lines);
    return {};
  }

  const Recorded& recorded_;
  Player player_;
  std::atomic<bool> leaving_{false};
  StopSignals signals_;
  KeyTerminal keys_{STDIN_FILENO};
  exporters::TerminalScreen screen_{STDOUT_FILENO};
};

// A line per second, and each decision when it was made.
int PrintLines(const Recorded& recorded) {
  const exporters::TextStyle style = StyleOf(STDOUT_FILENO);
  std::size_t told = 0;
  for (MonoTime when = recorded.begin;; when = std::min(when + kLine, recorded.last())) {
    const auto view = recorded.ViewAt(recorded.it().Until(when));
    if (!view) return Complain(view.error(), kExitFailed);
    const auto& made = view->decisions.entries();
    for (; told < made.size(); ++told)
      std::puts(exporters::DecisionLine(made[told], view->start, view->now.knobs, style).c_str());
    std::puts(exporters::ProgressLine(view->previous, view->now, view->start, view->verdict, style).c_str());
    if (std::fflush(stdout) != 0) return errno == EPIPE ? kExitSignal + SIGPIPE : kExitFailed;
    if (when == recorded.last()) return kExitDone;
  }
}

}  // namespace

int ReplayRun(const ReplayOptions& options) {
  const auto begin = options.at.empty() ? Nanos(0) : ParseDuration(options.at);
  if (!begin) return Complain({"--at: " + begin.error().message}, kExitUsage);
  const auto recorded = Open(options, *begin);
  if (!recorded) return Complain(recorded.error(), kExitFailed);
  const bool table =
      KindFor(STDOUT_FILENO, options.plain) == Display::Kind::kTable && isatty(STDIN_FILENO) != 0;
  if (table) return Theatre(*recorded, options.speed).Play();
  std::signal(SIGPIPE, SIG_IGN);
  return PrintLines(*recorded);
}

}  // namespace sluice::app
