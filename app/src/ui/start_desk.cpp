#include "ui/start_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "sim/scenario_files.h"
#include "sluice/base/text.h"
#include "sluice/probes/segment_reader.h"
#include "top/watched_run.h"
#include "ui/plan_of.h"
#include "ui/started_run.h"
#include "ui/ui_command.h"
#include "ui/user_files.h"

namespace sluice::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRemembered = 12;

fs::path MemoryFile() {
  return StateFile("recent-sessions");
}

std::vector<std::string> Remembered() {
  std::vector<std::string> files;
  std::ifstream memory(MemoryFile());
  for (std::string line; files.size() < kMostRemembered && std::getline(memory, line);) {
    std::error_code error;
    if (fs::is_regular_file(line, error)) files.push_back(line);
  }
  return files;
}

void AddSessionsHere(std::vector<std::string>& files) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::current_path(error), error)) {
    const std::string file = entry.path();
    if (entry.path().extension() == ".sluice" && std::ranges::find(files, file) == files.end())
      files.push_back(file);
  }
}

ui::StartList Running() {
  ui::StartList list{.title = "Running now",
                     .empty = "No measured process. Start one: sluice run SCENARIO, or sluice wrap -- CMD."};
  for (const probes::FoundSegment& found : FindWatchable({}, "")) {
    const probes::SegmentIdentity& who = IdentityOf(found);
    const std::string rank = who.rank ? fmt::format(", rank {}", *who.rank) : "";
    list.entries.push_back({.title = who.program,
                            .detail = fmt::format("pid {}{}", who.pid, rank),
                            .opens = fmt::format("{}", who.pid)});
  }
  return list;
}

ui::StartList Sessions() {
  ui::StartList list{.title = "Recorded",
                     .empty = "No session yet. Record one: sluice run SCENARIO --record run.sluice.",
                     .sessions = true};
  for (const std::string& file : RecentSessions()) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    list.entries.push_back(
        {.title = fs::path(file).filename(),
         .detail = fmt::format("{}, {}", FormatBytes(Bytes{error ? 0 : static_cast<std::int64_t>(size)}),
                               fs::path(file).parent_path().string()),
         .opens = file});
  }
  return list;
}

std::vector<fs::path> ScenarioFilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

ui::StartList ScenariosIn(const fs::path& folder, const char* title) {
  ui::StartList list{.title = title, .empty = "The shipped scenarios are not where they belong."};
  for (const fs::path& file : ScenarioFilesIn(folder)) {
    if (const auto plan = app::PlanOf(file))
      list.entries.push_back({.title = file.stem(), .detail = plan->summary, .plans = file});
  }
  return list;
}

}  // namespace

std::vector<ui::StartList> StartDesk::Lists() {
  if (scenarios_.empty()) {
    const fs::path simulated = ShippedScenarios().value_or("");
    scenarios_ = {ScenariosIn(simulated.parent_path(), "Scenarios to run"),
                  ScenariosIn(simulated, "Simulated")};
  }
  return {Running(), Sessions(), scenarios_[0], scenarios_[1]};
}

Result<ui::Plan> StartDesk::PlanOf(const std::string& scenario) {
  return app::PlanOf(scenario);
}

std::string StartDesk::CommandOf(const ui::Plan& plan) {
  return app::CommandOf(plan);
}

Result<std::unique_ptr<ui::Started>> StartDesk::Start(const ui::Plan& plan) {
  return StartRun(ProgramBeside("sluice"), plan);
}

Result<std::unique_ptr<ui::Feed>> StartDesk::Open(const std::string& what) {
  auto feed = OpenFeed(what, "");
  if (feed) RememberSession(what);
  return feed;
}

std::vector<std::string> RecentSessions() {
  std::vector<std::string> files = Remembered();
  AddSessionsHere(files);
  return files;
}

// Nothing that the user asked for fails where it cannot be written.
void RememberSession(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  const std::string whole = fs::absolute(file, error);
  std::vector<std::string> files = Remembered();
  std::erase(files, whole);
  files.insert(files.begin(), whole);
  const fs::path memory = MemoryFile();
  if (memory.empty()) return;
  fs::create_directories(memory.parent_path(), error);
  std::ofstream out(memory, std::ios::trunc);
  for (std::size_t i = 0; i < std::min(files.size(), kMostRemembered); ++i) out << files[i] << '\n';
}

}  // namespace sluice::app
