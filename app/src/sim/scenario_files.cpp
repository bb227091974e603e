#include "sim/scenario_files.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "sluice/base/text.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::app {
namespace {

namespace fs = std::filesystem;
constexpr const char* kInSources = "scenarios/sim";
constexpr const char* kInstalled = "share/sluice/scenarios/sim";

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

std::vector<std::string> TomlFilesIn(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string NameOf(const std::string& file) {
  return fs::path(file).stem();
}

std::vector<std::string> Glob(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

std::unexpected<Error> NoSuchName(const std::string& name, const std::vector<std::string>& shipped) {
  std::vector<std::string> names;
  names.reserve(shipped.size());
  for (const std::string& file : shipped) names.push_back(NameOf(file));
  const std::string near = Nearest(name, names);
  const std::string remedy =
      near.empty() ? "sluice bench autotune --list names them" : "did you mean '" + near + "'?";
  return Fail(fmt::format("there is neither a file nor a shipped scenario '{}'; {}", name, remedy));
}

Result<std::vector<std::string>> ShippedLike(const std::string& pattern) {
  const auto folder = ShippedScenarios();
  if (!folder) return std::unexpected(folder.error());
  const std::vector<std::string> shipped = TomlFilesIn(*folder);
  std::vector<std::string> files;
  for (const std::string& file : shipped) {
    if (fnmatch(pattern.c_str(), NameOf(file).c_str(), 0) == 0) files.push_back(file);
  }
  if (files.empty()) return NoSuchName(pattern, shipped);
  return files;
}

Result<std::vector<std::string>> FilesLike(const std::string& pattern) {
  if (IsFile(pattern)) return std::vector{pattern};
  if (IsFolder(pattern)) {
    auto files = TomlFilesIn(pattern);
    if (files.empty()) return Fail(fmt::format("there is no *.toml file in {}", pattern));
    return files;
  }
  if (pattern.find('/') == std::string::npos && !pattern.ends_with(".toml")) return ShippedLike(pattern);
  auto files = Glob(pattern);
  if (files.empty()) return Fail(fmt::format("{}: No such file", pattern));
  return files;
}

}  // namespace

Result<std::string> ShippedScenarios() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / kInstalled;
  if (IsFolder(installed)) return installed.string();
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (IsFolder(folder / kInSources)) return (folder / kInSources).string();
  }
  if (IsFolder(kInSources)) return std::string(kInSources);
  return Fail(
      fmt::format("the shipped scenarios are not there: looked for {} and for {} around the program; "
                  "name a file or folder instead",
                  installed.string(), kInSources));
}

Result<std::vector<std::string>> FindScenarioFiles(const std::string& patterns) {
  std::vector<std::string> files;
  for (std::size_t from = 0; from <= patterns.size();) {
    const std::size_t to = std::min(patterns.find(',', from), patterns.size());
    const std::string pattern = patterns.empty() ? "*" : patterns.substr(from, to - from);
    const auto found = FilesLike(pattern);
    if (!found) return found;
    for (const std::string& file : *found) {
      if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    }
    from = to + 1;
  }
  return files;
}

Result<std::string> FindScenarioFile(const std::string& name) {
  if (IsFile(name)) return name;
  if (IsFolder(name)) return Fail(fmt::format("{} is a folder; name one of its files", name));
  const auto files = FilesLike(name);
  if (!files) return std::unexpected(files.error());
  if (files->size() > 1) {
    return Fail(fmt::format("'{}' fits {} scenarios, {} the first; name one", name, files->size(),
                            NameOf(files->front())));
  }
  return files->front();
}

Result<std::vector<simulator::SimScenario>> LoadScenarioFiles(const std::vector<std::string>& files) {
  std::vector<simulator::SimScenario> scenarios;
  for (const std::string& file : files) {
    auto scenario = simulator::LoadSimScenario(file);
    if (!scenario) return std::unexpected(scenario.error());
    scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

}  // namespace sluice::app
