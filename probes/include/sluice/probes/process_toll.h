// What a process pays for sharing its machine: switches away from a core that it did not ask for, time in
// the kernel, memory that was moved out, files it has open. Immutable functions; the parsers are pure, `root`
// is prefixed to /proc.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::probes {

// Of /proc/<pid>/task/<tid>/status.
struct Switches {
  std::uint64_t asked = 0;   // it waited for something
  std::uint64_t forced = 0;  // others were to run
};
[[nodiscard]] std::optional<Switches> ParseSwitches(std::string_view status);
// The soft limit of "Max open files" in the text of /proc/<pid>/limits; nullopt: it names none, or no limit.
[[nodiscard]] std::optional<std::uint64_t> ParseFileLimit(std::string_view limits);

struct ProcessToll {
  std::string name{};
  Nanos user{0}, system{0};            // since it started
  std::optional<Switches> switches{};  // likewise, of the threads that are alive
  std::optional<Bytes> swapped{};
  std::optional<std::uint64_t> files{};  // open now; nullopt: another user's
  std::optional<std::uint64_t> file_limit{};
};

// nullopt: no such process.
[[nodiscard]] std::optional<ProcessToll> ReadProcessToll(int pid, const std::string& root = "");

}  // namespace sluice::probes
