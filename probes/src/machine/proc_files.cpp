#include "sluice/probes/proc_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "sluice/base/cpu_set.h"
#include "sluice/base/fd.h"

namespace sluice::probes {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::int64_t kMostCount = std::int64_t{1} << 60;    // an exbibyte, or 36 years: sums still fit
constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 38;  // of one process; 87 years
constexpr std::int64_t kMostPages = std::int64_t{1} << 44;
constexpr int kMostCpus = 1 << 20;
constexpr int kFieldsFromStateToCpu = 36;  // fields 3 to 38 of stat

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// CPUs named by "3" or "0-3".
std::optional<int> CountCpuRange(std::string_view range) {
  const auto dash = range.find('-');
  const auto first = ParseWhole<int>(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : ParseWhole<int>(range.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) return std::nullopt;
  return *last - *first + 1;
}

}  // namespace

std::optional<std::string> ReadSmallFile(const std::string& path) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return std::nullopt;
  std::string text;
  std::array<char, 4096> block;
  while (text.size() < kLargestFile) {
    const ssize_t n = read(fd.get(), block.data(), block.size());
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  return text;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  return ParseWhole<std::int64_t>(Trim(text));
}

std::optional<std::int64_t> ParseCount(std::string_view text, std::int64_t unit) {
  const auto number = ParseInteger(text);
  if (!number || *number < 0 || *number > kMostCount / unit) return std::nullopt;
  return *number * unit;
}

std::string_view TakeLine(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view TakeWord(std::string_view& text) {
  text = Trim(text);
  const auto end = std::min(text.find_first_of(kBlanks), text.size());
  const auto word = text.substr(0, end);
  text = Trim(text.substr(end));
  return word;
}

std::optional<std::string_view> FindLine(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto line = TakeLine(text);
    auto word = TakeWord(line);
    if (word.ends_with(':')) word.remove_suffix(1);
    if (word == key) return line;
  }
  return std::nullopt;
}

std::optional<std::int64_t> FindNumber(std::string_view text, std::string_view key) {
  auto line = FindLine(text, key);
  if (!line) return std::nullopt;
  return ParseInteger(TakeWord(*line));
}

std::optional<std::int64_t> FindCount(std::string_view text, std::string_view key, std::int64_t unit) {
  auto line = FindLine(text, key);
  if (!line) return std::nullopt;
  return ParseCount(TakeWord(*line), unit);
}

Nanos FromTicks(std::uint64_t ticks) {
  static const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return FromSeconds(static_cast<double>(ticks) / per_second);
}

std::optional<ProcStat> ParseProcStat(std::string_view text) {
  // The name in parentheses may itself hold blanks and parentheses.
  const auto name_start = text.find('(');
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_start >= name_end) return std::nullopt;
  const auto name = text.substr(name_start + 1, name_end - name_start - 1);
  text.remove_prefix(name_end + 1);
  std::array<std::string_view, 22> fields;  // fields 3 to 24
  for (auto& field : fields) field = TakeWord(text);
  const auto number = [&](int field) { return ParseWhole<std::uint64_t>(fields[field - 3]); };
  const auto ticks = [&](int field) {
    return number(field).transform([](std::uint64_t n) { return std::min(n, kMostTicks); });
  };
  const auto count = [&](int field, std::int64_t most) {
    return std::clamp<std::int64_t>(ParseWhole<std::int64_t>(fields[field - 3]).value_or(0), 0, most);
  };
  const auto utime = ticks(14), stime = ticks(15), start = number(22);
  if (fields[0].size() != 1 || !utime || !stime || !start) return std::nullopt;
  ProcStat stat;
  stat.state = fields[0][0];
  stat.name = name;
  stat.parent = ParseWhole<int>(fields[4 - 3]).value_or(0);
  stat.major_faults = count(12, kMostPages);
  stat.utime_ticks = *utime;
  stat.stime_ticks = *stime;
  stat.waited_utime_ticks = ticks(16).value_or(0);
  stat.waited_stime_ticks = ticks(17).value_or(0);
  stat.start_ticks = *start;
  stat.resident_pages = count(24, kMostPages);
  return stat;
}

std::optional<ProcStat> ReadProcStat(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/stat", root, pid));
  if (!text) return std::nullopt;
  return ParseProcStat(*text);
}

int ParseLastCpu(std::string_view stat) {
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string_view::npos) return -1;
  stat.remove_prefix(end_of_name + 1);
  for (int field = 0; field < kFieldsFromStateToCpu; ++field) static_cast<void>(TakeWord(stat));
  const auto cpu = ParseInteger(TakeWord(stat));
  return cpu && *cpu >= 0 && *cpu < CpuSet::kMost ? static_cast<int>(*cpu) : -1;
}

bool ProcessAlive(int pid, std::uint64_t start_ticks, const std::string& root) {
  const auto stat = ReadProcStat(pid, root);
  return stat && stat->start_ticks == start_ticks && stat->state != 'Z' && stat->state != 'X';
}

std::optional<SchedStat> ParseSchedStat(std::string_view text) {
  const auto on_cpu = ParseWhole<std::int64_t>(TakeWord(text));
  const auto runnable = ParseWhole<std::int64_t>(TakeWord(text));
  const auto timeslices = ParseWhole<std::int64_t>(TakeWord(text));
  if (!on_cpu || !runnable || !timeslices || *timeslices <= 0) return std::nullopt;
  if (std::min(*on_cpu, *runnable) < 0 || std::max(*on_cpu, *runnable) > kMostCount) return std::nullopt;
  return SchedStat{Nanos(*on_cpu), Nanos(*runnable)};
}

std::optional<Bytes> ParseResident(std::string_view text, std::int64_t page) {
  static_cast<void>(TakeWord(text));  // the total
  return ParseCount(TakeWord(text), page).transform([](std::int64_t bytes) { return Bytes{bytes}; });
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice"; the last two are in the first two.
std::optional<CpuTimes> ParseCpuTimes(std::string_view text, const std::function<bool(int)>& counts) {
  constexpr std::string_view kCpu = "cpu";
  constexpr std::array kBusy{true, true, true, false, false, true, true, true};
  constexpr std::size_t kSteal = 7;
  CpuTimes sum;
  bool any = false;
  while (text.starts_with(kCpu)) {
    auto line = TakeLine(text);
    const auto cpu = ParseWhole<int>(TakeWord(line).substr(kCpu.size()));
    if (!cpu || !counts(*cpu)) continue;  // without a number it is the sum of all
    for (std::size_t i = 0; i < kBusy.size(); ++i) {
      const auto ticks = ParseWhole<std::uint64_t>(TakeWord(line));
      (kBusy[i] ? sum.busy_ticks : sum.idle_ticks) += ticks.value_or(0);
      if (i == kSteal) sum.stolen_ticks += ticks.value_or(0);
      any = any || ticks;
    }
  }
  return any ? std::optional(sum) : std::nullopt;
}

std::optional<int> CountCpuList(std::string_view text) {
  text = Trim(text);
  int count = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto cpus = CountCpuRange(text.substr(0, end));
    if (!cpus || *cpus > kMostCpus - count) return std::nullopt;
    count += *cpus;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (count == 0) return std::nullopt;
  return count;
}

}  // namespace sluice::probes
