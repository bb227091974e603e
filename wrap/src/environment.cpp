#include "sluice/wrap/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "sluice/probes/proc_files.h"

namespace sluice::wrap {
namespace {

std::optional<std::string> Value(const Lookup& now, const char* name) {
  const char* value = now(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

// Python takes an empty PYTHONPATH for none; an empty part of a longer one is the current folder and stays.
std::string Prefixed(const std::string& folder, const std::optional<std::string>& path) {
  return path && !path->empty() ? folder + ":" + *path : folder;
}

bool StartsWith(const std::optional<std::string>& path, const std::string& folder) {
  return path && (*path == folder || path->starts_with(folder + ":"));
}

class Plan {
 public:
  explicit Plan(const Lookup& now) : now_(now) {}

  void Set(const char* name, const std::string& value) {
    auto before = Value(now_, name);
    if (value.empty() || before == value) return;
    changes_.push_back({name, std::move(before), value});
  }
  void Default(const char* name, const std::string& value) {
    const auto before = Value(now_, name);
    if (!before || before->empty()) Set(name, value);
  }
  void Prefix(const char* name, const std::string& folder) {
    const auto before = Value(now_, name);
    if (!folder.empty() && !StartsWith(before, folder)) Set(name, Prefixed(folder, before));
  }
  std::vector<EnvironmentChange> Take() { return std::move(changes_); }

 private:
  const Lookup& now_;
  std::vector<EnvironmentChange> changes_;
};

bool Names(std::string_view entry, const std::string& name) {
  return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
}

}  // namespace

std::vector<EnvironmentChange> PlanEnvironment(const Lookup& now, const WrapEnvironment& wanted) {
  Plan plan(now);
  plan.Prefix("PYTHONPATH", wanted.inject);
  plan.Default("SLUICE_RUN_ID", wanted.run_id);
  plan.Default("SLUICE_SEGMENT_FOLDER", wanted.segment_folder);
  plan.Default("SLUICE_LIBRARY", wanted.library);
  plan.Set("SLUICE_REPRO", wanted.repro);
  if (wanted.advise) plan.Set("SLUICE_ADVISE", "1");
  if (wanted.tune_threads) plan.Set("SLUICE_TUNE_THREADS", "1");
  plan.Set(kMarkVariable, wanted.mark);
  return plan.Take();
}

std::vector<std::string> ApplyChanges(const char* const* environment,
                                      std::span<const EnvironmentChange> changes) {
  std::vector<std::string> applied;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const bool changed =
        std::ranges::any_of(changes, [&](const auto& change) { return Names(*environment, change.name); });
    if (!changed) applied.emplace_back(*environment);
  }
  for (const EnvironmentChange& change : changes) applied.push_back(change.name + "=" + change.after);
  return applied;
}

bool IsDisabled(const Lookup& now) {
  std::string value = Value(now, "SLUICE_DISABLE").value_or("");
  std::erase_if(value, [](unsigned char c) { return std::isspace(c) != 0; });
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  return !value.empty() && value != "0" && value != "no" && value != "off" && value != "false";
}

std::string MarkOf(int pid, const std::string& root) {
  const auto stat = probes::ReadProcStat(pid, root);
  return stat ? fmt::format("{}-{}", pid, stat->start_ticks) : "";
}

bool IsWrapped(const Lookup& now, const std::string& root) {
  const std::string mark = Value(now, kMarkVariable).value_or("");
  const auto dash = mark.find('-');
  if (dash == std::string::npos) return false;
  const auto pid = probes::ParseInteger(mark.substr(0, dash));
  return pid && *pid > 0 && MarkOf(static_cast<int>(*pid), root) == mark;
}

}  // namespace sluice::wrap
