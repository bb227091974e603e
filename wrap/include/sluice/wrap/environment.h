// What a wrapped command finds in its environment beside what the user has put there. Immutable functions.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::wrap {

// The value of a variable, or nullptr.
using Lookup = std::function<const char*(const char*)>;

struct EnvironmentChange {
  std::string name;
  std::optional<std::string> before;  // nullopt: not set
  std::string after;
};

// An empty field adds nothing.
struct WrapEnvironment {
  std::string inject{};          // folder, before everything else in PYTHONPATH
  std::string library{};         // libsluice.so; one that the user names counts more
  std::string run_id{};          // the same
  std::string segment_folder{};  // the same
  std::string repro{};           // order, strict or free
  bool advise = false;           // touch nothing
  bool tune_threads = false;     // library threads of new workers too
  std::string mark{};            // who wraps: see MarkOf
};

// What has to change, in the order in which it is to be shown.
[[nodiscard]] std::vector<EnvironmentChange> PlanEnvironment(const Lookup& now,
                                                             const WrapEnvironment& wanted);

// `environment` ("NAME=value") with the changes applied.
[[nodiscard]] std::vector<std::string> ApplyChanges(const char* const* environment,
                                                    std::span<const EnvironmentChange> changes);

// Whether SLUICE_DISABLE says that nothing at all is to be done.
[[nodiscard]] bool IsDisabled(const Lookup& now);

inline constexpr const char* kMarkVariable = "SLUICE_WRAPPED_BY";
// The mark of a wrapped run: the process that everything else of the run descends from.
[[nodiscard]] std::string MarkOf(int pid, const std::string& root = "");
// Whether the environment carries the mark of a run that still goes on, so that wrapping again would do
// everything twice.
[[nodiscard]] bool IsWrapped(const Lookup& now, const std::string& root = "");

}  // namespace sluice::wrap
