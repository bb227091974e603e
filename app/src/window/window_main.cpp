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
#include "ui/key_file.h"
#include "ui/start_desk.h"
#include "ui/ui_command.h"
#include "ui/ui_state.h"
#include "ui/user_files.h"

namespace sluice::app {
namespace {

constexpr int kSmallest = 200, kLargest = 8192;  // pixels

Result<ui::WindowWish> WishOf(const UiOptions& options) {
  ui::WindowWish wish;
  wish.scale = static_cast<float>(options.scale);
  if (const auto theme = ui::ThemeOf(options.theme)) wish.choice.theme = *theme;
  if (!options.at.empty()) {
    const auto at = ParseDuration(options.at);
    if (!at) return Fail("--at: " + at.error().message);
    wish.choice.at = *at;
  }
  if (options.size.empty()) return wish;
  char cross = 0, more = 0;
  if (std::sscanf(options.size.c_str(), "%d%c%d%c", &wish.width, &cross, &wish.height, &more) != 3 ||
      cross != 'x' || std::min(wish.width, wish.height) < kSmallest ||
      std::max(wish.width, wish.height) > kLargest)
    return Fail("--size: '" + options.size +
                "' is no size from 200x200 to 8192x8192 (write for example 1280x800)");
  return wish;
}

Result<ui::Tab> TabNamed(const std::string& name) {
  std::string names;
  for (int i = 0; i < static_cast<int>(ui::Tab::kCount); ++i) {
    const auto tab = static_cast<ui::Tab>(i);
    if (name == ui::TabName(tab)) return tab;
    names += std::string(i == 0 ? "" : ", ") + ui::TabName(tab);
  }
  return Fail("--show: there is no table '" + name + "'; there are: " + names);
}

// Its place among the things of a table; an error names them.
template <typename Things>
Result<std::size_t> PlaceOf(const std::string& name, const Things& things) {
  std::string names;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name == name) return i;
    names += (i == 0 ? "" : ", ") + things[i].name;
  }
  return Fail("--show: there is no '" + name + "' in that table; there are: " + names);
}

// `show`: "ops", "ops:decode", "knobs:decode.workers".
Result<void> ChooseShown(const std::string& show, ui::Feed& feed, ui::Choice& choice) {
  const std::size_t colon = show.find(':');
  const auto tab = TabNamed(show.substr(0, colon));
  if (!tab) return std::unexpected(tab.error());
  choice.tab = *tab;
  if (colon == std::string::npos) return {};
  const auto scene = feed.At(choice.look());
  if (!scene) return std::unexpected(scene.error());
  const std::string name = show.substr(colon + 1);
  if (*tab != ui::Tab::kOps && *tab != ui::Tab::kKnobs)
    return Fail("--show: only of ops and knobs one can be chosen; leave out ':" + name + "'");
  const auto place =
      *tab == ui::Tab::kOps ? PlaceOf(name, scene->now.graph->ops) : PlaceOf(name, scene->now.knobs);
  if (!place) return std::unexpected(place.error());
  (*tab == ui::Tab::kOps ? choice.op : choice.knob) = *place;
  return {};
}

void ReadUserKeys(ui::WindowWish& wish) {
  KeysRead read = ReadKeys(ConfigFile("ui.toml"));
  wish.keys = std::move(read.keys);
  for (const std::string& wrong : read.wrong) {
    Warn(wrong);
    wish.notice += (wish.notice.empty() ? "" : "\n") + wrong;
  }
}

// What the options leave open.
void ApplyKept(const UiState& kept, const UiOptions& options, ui::WindowWish& wish) {
  if (options.theme.empty()) wish.choice.theme = kept.theme.value_or(wish.choice.theme);
  if (options.scale == 0) wish.scale = kept.scale.value_or(0);
  if (options.size.empty()) wish.place = kept.place;
  if (options.show.empty()) wish.choice.tab = kept.table.value_or(wish.choice.tab);
  wish.choice.log_counts = kept.log_counts.value_or(wish.choice.log_counts);
}

UiState KeptOrNothing(const std::string& file) {
  auto kept = ReadUiState(file);
  if (kept) return *kept;
  Warn(kept.error().message + "; it does not count, and is written anew when the window is closed");
  return {};
}

Result<void> ShowAsLeft(StartDesk& desk, std::unique_ptr<ui::Feed> feed, ui::WindowWish wish,
                        const UiOptions& options) {
  const std::string file = StateFile("ui.toml");
  ReadUserKeys(wish);
  ApplyKept(KeptOrNothing(file), options, wish);
  const auto left = ui::ShowWindow(desk, std::move(feed), std::move(wish));
  if (!left) return std::unexpected(left.error());
  // Another window may have been closed meanwhile.
  const UiState kept = ReadUiState(file).value_or(UiState{});
  if (const auto written = WriteUiState(WithLeft(kept, *left, options.size.empty()), file); !written)
    Warn(written.error().message);
  return {};
}

int Show(const UiOptions& options) {
  if (const auto can = CanBeWritten("--screenshot", options.screenshot); !can)
    return Complain(can.error(), kExitUsage);
  if (const auto can = CanBeCompared(options); !can) return Complain(can.error(), kExitUsage);
  auto wish = WishOf(options);
  if (!wish) return Complain(wish.error(), kExitUsage);
  StartDesk desk;
  std::unique_ptr<ui::Feed> feed;
  if (IsScenario(options.what)) {
    auto plan = desk.PlanOf(options.what);
    if (!plan) return Complain(plan.error(), kExitFailed);
    wish->plan = std::move(*plan);
  } else if (!options.what.empty()) {
    auto opened = OpenFeed(options.what, options.loader, options.token_file);
    if (!opened) return Complain(opened.error(), kExitFailed);
    feed = std::move(*opened);
    if (options.screenshot.empty()) RememberSession(options.what);
  }
  if (!options.show.empty() && feed == nullptr)
    return Complain({"--show: say of what, a PID or a session's file"}, kExitUsage);
  if (!options.show.empty()) {
    if (const auto chosen = ChooseShown(options.show, *feed, wish->choice); !chosen)
      return Complain(chosen.error(), kExitUsage);
  }
  if (!options.screenshot.empty() && feed != nullptr && feed->live()) WatchAWhile(*feed, wish->choice.look());
  if (!options.with.empty()) {
    auto comparison = feed->CompareWith(options.with);
    if (!comparison) return Complain(comparison.error(), kExitFailed);
    wish->comparison = std::move(*comparison);
    if (options.screenshot.empty()) RememberSession(options.with);
  }
  const auto shown = options.screenshot.empty()
                         ? ShowAsLeft(desk, std::move(feed), *wish, options)
                         : ui::TakePicture(desk, std::move(feed), *wish, options.screenshot);
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
