#include "sim/random_scenarios.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <charconv>
#include <filesystem>

#include "sim/scenario_files.h"
#include "sluice/wrap/run_and_read.h"

namespace sluice::app {
namespace {

namespace fs = std::filesystem;
constexpr const char* kGenerator = "bench/random_scenarios";
constexpr const char* kPython = "/usr/bin/python3";
constexpr Nanos kPatience = std::chrono::minutes(5);
constexpr std::uint64_t kMostSeeds = 10'000;

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// A folder that is gone with all that is in it when this is.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "sluice-scenarios-XXXXXX").string()) {
    made_ = mkdtemp(path_.data()) != nullptr;
  }
  ~Scratch() {
    std::error_code error;
    if (made_) fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

Result<fs::path> Generator() {
  std::error_code error;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", error); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder.parent_path() / kGenerator, error)) return folder.parent_path() / kGenerator;
  }
  return Fail(fmt::format("{} is not there: looked for it around the program; it belongs to the source tree",
                          kGenerator));
}

}  // namespace

std::optional<SeedRange> SeedRangeIn(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = NumberIn(text.substr(0, dots)), last = NumberIn(text.substr(dots + 2));
  if (!first || !last) return std::nullopt;
  return SeedRange{*first, *last};
}

Result<void> KeepsReserved(const SeedRange& range) {
  const bool touches = range.first <= kReserved.last && range.last >= kReserved.first;
  const bool all = range.first == kReserved.first && range.last == kReserved.last;
  if (!touches || all) return {};
  return Fail(
      fmt::format("seeds {}..{} are reserved: only totals over all of them are looked at, so name {}..{} "
                  "and nothing else, or other seeds",
                  kReserved.first, kReserved.last, kReserved.first, kReserved.last));
}

Result<std::vector<simulator::SimScenario>> RandomScenarios(const SeedRange& range) {
  if (range.last < range.first) return Fail(fmt::format("{}..{} goes backwards", range.first, range.last));
  const std::uint64_t count = range.last - range.first + 1;
  if (count > kMostSeeds) return Fail(fmt::format("{} seeds; {} are possible at once", count, kMostSeeds));
  const auto generator = Generator();
  if (!generator) return std::unexpected(generator.error());
  const Scratch scratch;
  if (!scratch.made()) return Fail(fmt::format("no folder {} could be made", scratch.path()));
  const auto made =
      wrap::RunAndRead({{kPython, "-B", generator->string(), "--seed", fmt::format("{}", range.first),
                         "--count", fmt::format("{}", count), "--out", scratch.path()},
                        {}},
                       kPatience);
  if (!made) return Fail(fmt::format("{}: {}", kGenerator, made.error().message));
  const auto files = FindScenarioFiles(scratch.path());
  if (!files) return std::unexpected(files.error());
  return LoadScenarioFiles(*files);
}

}  // namespace sluice::app
