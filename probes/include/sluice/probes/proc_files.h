// Small files of /proc and /sys: pure parsers, and one reader. Immutable functions.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::probes {

// nullopt: the file is not there or not readable.
[[nodiscard]] std::optional<std::string> ReadSmallFile(const std::string& path);

// A whole number, surrounding blanks allowed.
[[nodiscard]] std::optional<std::int64_t> ParseInteger(std::string_view text);
// The number behind the first line's `key` ("key 12", "key: 12 kB").
[[nodiscard]] std::optional<std::int64_t> FindNumber(std::string_view text, std::string_view key);
// The same of what is counted in units of so many (a kB has 1024 bytes); nullopt: it is negative, or more
// than any machine has.
[[nodiscard]] std::optional<std::int64_t> FindCount(std::string_view text, std::string_view key,
                                                    std::int64_t unit = 1);
[[nodiscard]] std::optional<std::int64_t> ParseCount(std::string_view text, std::int64_t unit = 1);
// The rest of the line that begins with `key`, without blanks around it.
[[nodiscard]] std::optional<std::string_view> FindLine(std::string_view text, std::string_view key);
// The first line of `text`, which is removed from it.
[[nodiscard]] std::string_view TakeLine(std::string_view& text);
// The first word of `text`, which is removed from it with the blanks around it.
[[nodiscard]] std::string_view TakeWord(std::string_view& text);

// Ticks of the kernel's clock, of which there are mostly a hundred per second.
[[nodiscard]] Nanos FromTicks(std::uint64_t ticks);

// What we need of /proc/<pid>/stat. What no machine has is the most that one might have.
struct ProcStat {
  char state = '?';
  std::string name;
  int parent = 0;
  std::int64_t major_faults = 0;
  std::uint64_t utime_ticks = 0;
  std::uint64_t stime_ticks = 0;
  std::uint64_t waited_utime_ticks = 0;  // of children that were waited for
  std::uint64_t waited_stime_ticks = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t resident_pages = 0;
};
[[nodiscard]] std::optional<ProcStat> ParseProcStat(std::string_view text);
[[nodiscard]] std::optional<ProcStat> ReadProcStat(int pid, const std::string& root = "");
// The CPU of the text of /proc/<pid>/task/<tid>/stat, field 39; -1: it names none.
[[nodiscard]] int ParseLastCpu(std::string_view stat);

// Whether the process with this pid and this start time still runs (a zombie does not).
[[nodiscard]] bool ProcessAlive(int pid, std::uint64_t start_ticks, const std::string& root = "");

// /proc/<pid>/task/<tid>/schedstat; nullopt: the kernel does not count (all zero).
struct SchedStat {
  Nanos on_cpu{0};
  Nanos runnable{0};
};
[[nodiscard]] std::optional<SchedStat> ParseSchedStat(std::string_view text);

// What /proc/<pid>/statm says is resident, with pages of so many bytes.
[[nodiscard]] std::optional<Bytes> ParseResident(std::string_view text, std::int64_t page);

// Since boot, of all CPUs for which `counts`, from the text of /proc/stat; nullopt: none of them is there.
// Busy is also what another guest of the same machine had of them: what the hypervisor stole.
struct CpuTimes {
  std::uint64_t busy_ticks = 0, idle_ticks = 0, stolen_ticks = 0;
};
[[nodiscard]] std::optional<CpuTimes> ParseCpuTimes(std::string_view text,
                                                    const std::function<bool(int)>& counts);

// How many CPUs a list such as "0-3,8" names.
[[nodiscard]] std::optional<int> CountCpuList(std::string_view text);

}  // namespace sluice::probes
