#include "ui/ui_command.h"

#include <algorithm>
#include <filesystem>
#include <thread>

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

}  // namespace sluice::app
