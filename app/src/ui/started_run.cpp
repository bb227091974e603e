#include "ui/started_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "top/watched_run.h"
#include "ui/child_process.h"
#include "ui/live_feed.h"
#include "ui/plan_of.h"
#include "ui/session_feed.h"

namespace sluice::app {
namespace {

namespace fs = std::filesystem;

std::string LastLine(std::string said) {
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said.substr(said.rfind('\n') + 1);
}

// Why it has ended without anything to be seen.
Error EndOf(const ChildProcess& child, int status) {
  const std::string said = LastLine(child.said());
  if (!said.empty()) return {said};
  if (status == 0) return {"It was over before it could be looked at; let it run for longer, or record it."};
  return {fmt::format("It ended with {} and said nothing.", status)};
}

class LiveRun : public ui::Started {
 public:
  LiveRun(ChildProcess child, std::string name) : child_(std::move(child)), name_(std::move(name)) {}

  Result<std::optional<ui::Opened>> Poll() override {
    if (const auto status = child_.Poll()) return std::unexpected(EndOf(child_, *status));
    if (FindWatchable(child_.pid(), "").empty()) return std::nullopt;
    auto feed = LiveFeed::Open(child_.pid(), "");
    if (!feed) return std::nullopt;  // its segment has just begun
    return ui::Opened{.feed = std::move(*feed)};
  }
  [[nodiscard]] std::string doing() const override {
    return fmt::format("Starting {}, {}", name_, FormatDuration(MonoNow() - begun_));
  }
  [[nodiscard]] std::string opens() const override { return fmt::format("{}", child_.pid()); }
  [[nodiscard]] bool goes_on() override { return !child_.Poll(); }
  void Stop() override { child_.Interrupt(); }

 private:
  ChildProcess child_;
  std::string name_;
  MonoTime begun_ = MonoNow();
};

constexpr std::string_view kFolder = "sluice-sim-";  // then the process, and what mkdtemp makes of it

// What a window has left that was killed.
void RemoveLeft(const fs::path& temporary) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(temporary, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kFolder)) continue;
    const int pid = std::atoi(name.c_str() + kFolder.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

// Removed with all that is in it.
class Folder {
 public:
  [[nodiscard]] static Result<Folder> Make() {
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    if (!error) RemoveLeft(temporary);
    std::string pattern = temporary / fmt::format("{}{}-XXXXXX", kFolder, getpid());
    if (temporary.empty() || mkdtemp(pattern.data()) == nullptr)
      return Fail(fmt::format("no temporary folder can be made: {}", std::strerror(errno)));
    return Folder(pattern);
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  [[nodiscard]] std::string File(const std::string& name) const { return path_ / name; }

 private:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// One controller or two before a simulated scenario; their sessions live as long as this does.
class Simulation : public ui::Started {
 public:
  Simulation(Folder folder, std::vector<ChildProcess> children, std::vector<std::string> files,
             std::string name)
      : folder_(std::move(folder)),
        children_(std::move(children)),
        files_(std::move(files)),
        name_(std::move(name)) {}

  Result<std::optional<ui::Opened>> Poll() override {
    for (ChildProcess& child : children_) {
      const auto status = child.Poll();
      if (!status) return std::nullopt;
      if (*status != 0) return std::unexpected(EndOf(child, *status));
    }
    auto feed = SessionFeed::Open(files_.front(), "");
    if (!feed) return std::unexpected(feed.error());
    ui::Opened opened{.feed = std::move(*feed)};
    if (files_.size() == 1) return opened;
    auto beside = opened.feed->CompareWith(files_.back());
    if (!beside) return std::unexpected(beside.error());
    opened.beside = std::move(*beside);
    return opened;
  }
  [[nodiscard]] std::string doing() const override {
    return fmt::format("Simulating {}, {}", name_, FormatDuration(MonoNow() - begun_));
  }
  [[nodiscard]] std::string opens() const override { return files_.front(); }
  [[nodiscard]] bool goes_on() override { return false; }  // it is over when it can be seen
  void Stop() override {
    for (ChildProcess& child : children_) child.Interrupt();
  }

 private:
  Folder folder_;
  std::vector<ChildProcess> children_;  // end before their folder goes
  std::vector<std::string> files_;
  std::string name_;
  MonoTime begun_ = MonoNow();
};

Result<std::unique_ptr<ui::Started>> StartSimulation(const std::string& program, const ui::Plan& plan) {
  auto folder = Folder::Make();
  if (!folder) return std::unexpected(folder.error());
  const std::string beside = BesideWhom(plan);
  const std::string who = ControllerOf(plan);
  std::vector<std::string> files{folder->File(who + ".sluice")};
  if (!beside.empty()) files.push_back(folder->File(beside + (beside == who ? "-2.sluice" : ".sluice")));
  std::vector<ChildProcess> children;
  for (const std::string& file : files) {
    auto child = ChildProcess::Start(program, ArgumentsOf(plan, file, file != files.front()));
    if (!child) return std::unexpected(child.error());
    children.push_back(std::move(*child));
  }
  return std::make_unique<Simulation>(std::move(*folder), std::move(children), std::move(files), plan.name);
}

}  // namespace

Result<std::unique_ptr<ui::Started>> StartRun(const std::string& program, const ui::Plan& plan) {
  if (plan.simulated) return StartSimulation(program, plan);
  std::vector<std::string> arguments = ArgumentsOf(plan, "", false);
  arguments.emplace_back("--quiet");
  auto child = ChildProcess::Start(program, arguments);
  if (!child) return std::unexpected(child.error());
  return std::make_unique<LiveRun>(std::move(*child), plan.name);
}

}  // namespace sluice::app
