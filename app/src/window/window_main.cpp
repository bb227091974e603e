// The `sluice-ui` program: the window that `sluice ui` opens.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "cli/ui_options.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/text.h"
#include "sluice/ui/window.h"
#include "ui/start_desk.h"
#include "ui/ui_command.h"

namespace sluice::app {
namespace {

constexpr int kSmallest = 200, kLargest = 8192;  // pixels

Result<ui::WindowWish> WishOf(const UiOptions& options) {
  ui::WindowWish wish;
  char cross = 0, more = 0;
  if (std::sscanf(options.size.c_str(), "%d%c%d%c", &wish.width, &cross, &wish.height, &more) != 3 ||
      cross != 'x' || std::min(wish.width, wish.height) < kSmallest ||
      std::max(wish.width, wish.height) > kLargest)
    return Fail("--size: '" + options.size +
                "' is no size from 200x200 to 8192x8192 (write for example 1280x800)");
  wish.scale = static_cast<float>(options.scale);
  if (const auto theme = ui::ThemeOf(options.theme)) wish.choice.theme = *theme;
  if (options.at.empty()) return wish;
  const auto at = ParseDuration(options.at);
  if (!at) return Fail("--at: " + at.error().message);
  wish.choice.at = *at;
  return wish;
}

int Show(const UiOptions& options) {
  if (const auto can = CanBeWritten("--screenshot", options.screenshot); !can)
    return Complain(can.error(), kExitUsage);
  const auto wish = WishOf(options);
  if (!wish) return Complain(wish.error(), kExitUsage);
  StartDesk desk;
  std::unique_ptr<ui::Feed> feed;
  if (!options.what.empty()) {
    auto opened = OpenFeed(options.what, options.loader, options.token_file);
    if (!opened) return Complain(opened.error(), kExitFailed);
    feed = std::move(*opened);
    if (options.screenshot.empty()) RememberSession(options.what);
  }
  if (options.screenshot.empty()) {
    const auto left = ui::ShowWindow(desk, std::move(feed), *wish);
    return left ? kExitDone : Complain(left.error(), kExitFailed);
  }
  const auto shown = ui::TakePicture(desk, std::move(feed), *wish, options.screenshot);
  return shown ? kExitDone : Complain(shown.error(), kExitFailed);
}

int Main(int argc, char** argv) {
  CLI::App app("Shows a measured process or a recorded run in a window", "sluice ui");
  UiOptions options;
  AddUiOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  return options.dump_view ? DumpView(options) : Show(options);
}

}  // namespace
}  // namespace sluice::app

int main(int argc, char** argv) {
  try {
    return sluice::app::Main(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sluice ui: %s\n", e.what());
    return sluice::app::kExitFailed;
  }
}
