#include "ui/ui_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "control/control_options.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/ui/view_json.h"
#include "ui/live_feed.h"
#include "ui/plan_of.h"
#include "ui/remote_feed.h"
#include "ui/session_feed.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kWatchFor{2500};  // what limits a run is not known before
constexpr std::chrono::milliseconds kPause{50};

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool IsHostAndPort(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return colon != std::string::npos && colon > 0 && IsNumber(text.substr(colon + 1)) &&
         text.find('/') == std::string::npos;
}

bool IsProcess(const std::string& what) {
  std::error_code error;
  return IsNumber(what) && !std::filesystem::exists(what, error);
}

int DumpPlan(const std::string& scenario) {
  const auto plan = PlanOf(scenario);
  return plan ? PrintOut(ui::PlanJson(*plan, CommandOf(*plan))) : Complain(plan.error(), kExitFailed);
}

int DumpComparison(ui::Feed& feed, const std::string& with) {
  const auto comparison = feed.CompareWith(with);
  return comparison ? PrintOut(ui::ComparisonJson(*comparison)) : Complain(comparison.error(), kExitFailed);
}

}  // namespace

bool IsScenario(const std::string& what) {
  return std::filesystem::path(what).extension() == ".toml";
}

std::string ProgramBeside(const std::string& name) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name;
}

void WatchAWhile(ui::Feed& feed, const ui::Look& look) {
  static_cast<void>(feed.At(look));  // an error is told when it is shown
  for (const MonoTime start = MonoNow(); MonoNow() - start < kWatchFor; std::this_thread::sleep_for(kPause))
    static_cast<void>(feed.Poll());
}

Result<std::unique_ptr<ui::Feed>> OpenFeed(const std::string& what, const std::string& loader,
                                           const std::string& token_file) {
  if (IsProcess(what)) return LiveFeed::Open(std::stoi(what), loader);
  std::error_code error;
  if (std::filesystem::is_socket(what, error)) return RemoteFeed::Open({.where = what}, loader);
  if (std::filesystem::exists(what, error) || !IsHostAndPort(what)) return SessionFeed::Open(what, loader);
  if (token_file.empty())
    return Fail(
        fmt::format("{} wants to see a token: give --token-file, with that of its run's --token-file", what));
  auto token = ReadToken(token_file);
  if (!token) return std::unexpected(token.error());
  return RemoteFeed::Open({.where = what, .token = std::move(*token)}, loader);
}

Result<void> CanBeCompared(const UiOptions& options) {
  if (options.with.empty()) return {};
  for (const std::string& what : {options.what, options.with}) {
    if (IsProcess(what)) return Fail(fmt::format("{} is a process: {}", what, ui::kRecordFirst));
  }
  for (const std::string& what : {options.what, options.with}) {
    if (IsScenario(what)) return Fail(fmt::format("{} is a scenario: {}", what, ui::kRecordFirst));
  }
  if (!options.at.empty()) return Fail("--at: two runs are compared as a whole, not at one moment");
  return {};
}

int DumpView(const UiOptions& options) {
  if (options.what.empty())
    return Complain({"--dump-view: say of what, a PID, a session or a scenario"}, kExitUsage);
  ui::Look look{.machine = true};
  if (!options.at.empty()) {
    const auto at = ParseDuration(options.at);
    if (!at) return Complain({"--at: " + at.error().message}, kExitUsage);
    look.until = *at;
  }
  if (const auto can = CanBeCompared(options); !can) return Complain(can.error(), kExitUsage);
  if (IsScenario(options.what)) return DumpPlan(options.what);
  auto feed = OpenFeed(options.what, options.loader, options.token_file);
  if (!feed) return Complain(feed.error(), kExitFailed);
  if (!options.with.empty()) return DumpComparison(**feed, options.with);
  if ((*feed)->live()) WatchAWhile(**feed, look);
  const auto scene = (*feed)->At(look);
  if (!scene) return Complain(scene.error(), kExitFailed);
  return PrintOut(ui::ViewJson(*scene, (*feed)->track()));
}

int StartWindow(char** argv) {
  const std::string program = ProgramBeside("sluice-ui");
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
