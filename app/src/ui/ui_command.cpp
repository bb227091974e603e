#include "ui/ui_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/ui/view_json.h"
#include "ui/live_feed.h"
#include "ui/session_feed.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kWatchFor{1200};
constexpr std::chrono::milliseconds kPause{50};

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void WatchAWhile(ui::Feed& feed) {
  for (const MonoTime start = MonoNow(); MonoNow() - start < kWatchFor; std::this_thread::sleep_for(kPause))
    static_cast<void>(feed.Poll());
}

}  // namespace

Result<std::unique_ptr<ui::Feed>> OpenFeed(const std::string& what, const std::string& loader) {
  std::error_code error;
  if (IsNumber(what) && !std::filesystem::exists(what, error)) return LiveFeed::Open(std::stoi(what), loader);
  return SessionFeed::Open(what, loader);
}

int DumpView(const UiOptions& options) {
  if (options.what.empty())
    return Complain({"--dump-view: say of what, a PID or a session's file"}, kExitUsage);
  ui::Look look;
  if (!options.at.empty()) {
    const auto at = ParseDuration(options.at);
    if (!at) return Complain({"--at: " + at.error().message}, kExitUsage);
    look.until = *at;
  }
  auto feed = OpenFeed(options.what, options.loader);
  if (!feed) return Complain(feed.error(), kExitFailed);
  if (IsNumber(options.what)) WatchAWhile(**feed);
  const auto scene = (*feed)->At(look);
  if (!scene) return Complain(scene.error(), kExitFailed);
  return PrintOut(ui::ViewJson(*scene, (*feed)->track()));
}

int StartWindow(char** argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "sluice-ui";
  if (access(program.c_str(), X_OK) != 0)
    return Complain(
        {fmt::format("the window is a program of its own, and {} is not there; install the Debian package "
                     "sluice-ui, or build it with libimgui-dev and libglfw3-dev installed; sluice top and "
                     "sluice replay show the same in a terminal",
                     program)},
        kExitFailed);
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (char** argument = argv; *argument != nullptr; ++argument) arguments.push_back(*argument);
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return Complain({fmt::format("{} cannot be started: {}", program, std::strerror(errno))}, kExitFailed);
}

}  // namespace sluice::app
