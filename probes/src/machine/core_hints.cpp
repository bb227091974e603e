#include "machine/core_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::string_view kPerTask = "SLURM_CPUS_PER_TASK";
constexpr std::string_view kPerNode = "SLURM_JOB_CPUS_PER_NODE";
constexpr std::int64_t kMostCpus = 1 << 20;
constexpr std::size_t kLongest = 256;

// The text up to `end`, which is removed with it.
std::string_view TakeUntil(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

std::optional<std::string_view> ValueOf(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    auto value = TakeUntil(environment, '\0');
    if (TakeUntil(value, '=') == name) return value;
  }
  return std::nullopt;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<double> Cpus(std::string_view text) {
  const auto cpus = IsNumber(text) ? ParseInteger(text) : std::nullopt;
  if (!cpus || *cpus < 1 || *cpus > kMostCpus) return std::nullopt;
  return static_cast<double>(*cpus);
}

// "36" or "72(x2)": so many CPUs, on so many nodes.
std::optional<double> NodeCpus(std::string_view entry) {
  const auto cpus = Cpus(TakeUntil(entry, '('));
  if (entry.empty()) return cpus;
  if (!entry.starts_with('x') || !entry.ends_with(')')) return std::nullopt;
  return IsNumber(entry.substr(1, entry.size() - 2)) ? cpus : std::nullopt;
}

std::optional<CoreHint> PerTask(std::string_view text) {
  const auto cpus = Cpus(text);
  if (!cpus) return std::nullopt;
  return CoreHint{cpus, fmt::format("{}={}", kPerTask, text)};
}

// Nodes of different sizes: which of them this is it does not say.
std::optional<CoreHint> PerNode(std::string_view text) {
  CoreHint hint{{}, fmt::format("{}={}", kPerNode, text)};
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  bool same = true;
  while (!text.empty()) {
    const auto cpus = NodeCpus(TakeUntil(text, ','));
    if (!cpus) return std::nullopt;
    same = same && cpus == hint.cores.value_or(*cpus);
    hint.cores = cpus;
  }
  if (!same) hint.cores.reset();
  return hint;
}

}  // namespace

std::vector<CoreHint> ParseCoreHints(std::string_view environment) {
  std::vector<CoreHint> hints;
  const auto task = ValueOf(environment, kPerTask);
  if (const auto hint = task ? PerTask(*task) : std::nullopt) hints.push_back(*hint);
  const auto node = ValueOf(environment, kPerNode);
  if (const auto hint = node ? PerNode(*node) : std::nullopt) hints.push_back(*hint);
  return hints;
}

}  // namespace sluice::probes
