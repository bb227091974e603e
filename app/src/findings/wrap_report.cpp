#include "findings/wrap_report.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "findings/loaders_json.h"
#include "findings/wrap_totals.h"
#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestCommand = 60;
constexpr const char* kMissing = "not measured";

// Nothing in it may move a terminal's cursor, and no character is cut in two.
std::string CommandText(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  if (text.size() <= kLongestCommand) return text;
  std::size_t end = kLongestCommand - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string EndText(const std::optional<wrap::CommandEnd>& end) {
  if (!end) return "ended";
  if (WIFEXITED(end->status)) return fmt::format("exit status {}", WEXITSTATUS(end->status));
  const int signal = WTERMSIG(end->status);
  const char* name = sigabbrev_np(signal);
  return fmt::format("killed by SIG{}{}", name != nullptr ? name : std::to_string(signal),
                     WCOREDUMP(end->status) ? " (core dumped)" : "");
}

std::string Percent(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

std::string Or(const std::optional<Bytes>& bytes) {
  return bytes ? FormatBytes(*bytes) : kMissing;
}

std::string Or(const std::optional<std::int64_t>& count) {
  return count ? FormatCount(static_cast<double>(*count)) : kMissing;
}

std::string CpuText(const WrapTotals& totals, double cores) {
  if (!totals.user) return kMissing;
  const std::string mean =
      totals.mean_cores ? fmt::format(": {:.2f} of {:g} cores", *totals.mean_cores, cores) : "";
  return fmt::format("{} user, {} system{}", FormatDuration(*totals.user), FormatDuration(*totals.system),
                     mean);
}

std::string MainThreadText(const wrap::MainThreadUse& main) {
  const double on = Share(main.on_cpu, main.lived).value;
  const double runnable = Share(main.runnable, main.lived).value;
  return fmt::format("{} on-CPU, {} runnable, {} off-CPU ({}, pid {})", Percent(on), Percent(runnable),
                     Percent(std::max(0.0, 1 - on - runnable)), main.name, main.pid);
}

// The trainer's where one is known: a worker may compute more.
std::optional<wrap::MainThreadUse> MainThreadOf(const WrapOutcome& outcome) {
  if (!outcome.tree) return std::nullopt;
  const LoaderStory* most = nullptr;
  for (const LoaderStory& loader : outcome.loaders.value_or(std::vector<LoaderStory>())) {
    if (most == nullptr || loader.values.active > most->values.active) most = &loader;
  }
  const auto trainer = outcome.tree->main_threads.find(most != nullptr ? most->pid : 0);
  return trainer != outcome.tree->main_threads.end() ? trainer->second : outcome.tree->busiest;
}

std::string MainThreadText(const WrapOutcome& outcome) {
  const auto main = MainThreadOf(outcome);
  return main && main->lived > Nanos(0) ? MainThreadText(*main) : kMissing;
}

RunFacts FactsOf(const WrapOutcome& outcome) {
  return {.storage_read = TotalsOf(outcome).storage_read,
          .cores = outcome.tree ? outcome.tree->cores : wrap::CoresLog()};
}

bool AnyBatches(const std::vector<LoaderStory>& loaders) {
  return std::ranges::any_of(loaders, [](const LoaderStory& loader) { return loader.values.batches > 0; });
}

// Why there is nothing to say of loaders.
std::string NoLoadersText(const WrapOutcome& outcome) {
  if (!outcome.kept_out.empty()) return "not measured: " + outcome.kept_out;
  const wrap::TreeUse tree = outcome.tree.value_or(wrap::TreeUse{});
  if (tree.stray) {
    return fmt::format(
        "not measured: {} (pid {}) was started without this run's PYTHONPATH, as by env -i, sudo or a "
        "script that sets it; put `sluice wrap --` directly before python3",
        tree.stray->name, tree.stray->pid);
  }
  if (outcome.tree && tree.pythons == 0) return "none: no Python process was seen";
  return "none: no PyTorch DataLoader handed out a batch; sluice.measure(ITERABLE) in the script measures "
         "another loop";
}

std::string MemoryText(const WrapTotals& totals, const std::optional<wrap::TreeUse>& tree) {
  std::string text =
      fmt::format("peak RSS {}, peak PSS {}", Or(totals.peak_rss), Or(tree ? tree->peak_pss : std::nullopt));
  if (tree && tree->processes > 0) {
    text += fmt::format("; {} process{} seen, at most {} at once", tree->processes,
                        tree->processes == 1 ? "" : "es", tree->most_processes);
  }
  return text;
}

std::string FilesText(const WrapTotals& totals, const std::optional<wrap::TreeUse>& tree) {
  return fmt::format("read {}, written {}; from storage {}, to it {}", Or(tree ? tree->read : std::nullopt),
                     Or(tree ? tree->written : std::nullopt), Or(totals.storage_read),
                     Or(totals.storage_written));
}

std::string GpuText(const wrap::GpuUse& gpu) {
  return fmt::format("{} busy, at most {}; peak memory {} of {} ({})", Percent(gpu.mean_busy.value),
                     Percent(gpu.peak_busy.value), FormatBytes(gpu.peak_memory), FormatBytes(gpu.memory),
                     gpu.name);
}

std::string Line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<12} {}\n", label, text);
}

template <typename T>
ordered_json Number(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}
ordered_json Number(const std::optional<Bytes>& value) {
  return value ? ordered_json(value->count) : ordered_json(nullptr);
}
ordered_json Number(const std::optional<Nanos>& value) {
  return value ? ordered_json(Seconds(*value)) : ordered_json(nullptr);
}
ordered_json Number(const std::optional<Fraction>& value) {
  return value ? ordered_json(value->value) : ordered_json(nullptr);
}

ordered_json EndJson(const std::optional<wrap::CommandEnd>& end) {
  ordered_json json = {{"exit_code", nullptr}, {"signal", nullptr}, {"core_dumped", nullptr}};
  if (!end) return json;
  if (WIFEXITED(end->status)) json["exit_code"] = WEXITSTATUS(end->status);
  if (WIFSIGNALED(end->status)) json["signal"] = WTERMSIG(end->status);
  json["core_dumped"] = WIFSIGNALED(end->status) && WCOREDUMP(end->status);
  return json;
}

ordered_json MainThreadJson(const WrapOutcome& outcome) {
  const auto main = MainThreadOf(outcome);
  if (!main) return nullptr;
  return {{"pid", main->pid},
          {"name", main->name},
          {"watched_seconds", Seconds(main->lived)},
          {"on_cpu_seconds", Seconds(main->on_cpu)},
          {"runnable_seconds", Seconds(main->runnable)}};
}

ordered_json GpuJson(const wrap::GpuUse& gpu) {
  return {{"name", gpu.name},
          {"mean_busy", gpu.mean_busy.value},
          {"peak_busy", gpu.peak_busy.value},
          {"peak_memory_bytes", gpu.peak_memory.count},
          {"memory_bytes", gpu.memory.count}};
}

ordered_json UseJson(const WrapOutcome& outcome) {
  const WrapTotals totals = TotalsOf(outcome);
  const wrap::TreeUse tree = outcome.tree.value_or(wrap::TreeUse{});
  return {{"user_seconds", Number(totals.user)},
          {"system_seconds", Number(totals.system)},
          {"mean_cores", Number(totals.mean_cores)},
          {"runnable_share", Number(totals.runnable)},
          {"runnable_seconds", Number(tree.runnable)},
          {"main_thread", MainThreadJson(outcome)},
          {"peak_rss_bytes", Number(totals.peak_rss)},
          {"peak_pss_bytes", Number(tree.peak_pss)},
          {"read_bytes", Number(tree.read)},
          {"written_bytes", Number(tree.written)},
          {"storage_read_bytes", Number(totals.storage_read)},
          {"storage_written_bytes", Number(totals.storage_written)},
          {"major_faults", Number(totals.major_faults)},
          {"voluntary_switches", Number(totals.voluntary)},
          {"involuntary_switches", Number(totals.involuntary)},
          {"processes", outcome.tree ? ordered_json(tree.processes) : ordered_json(nullptr)},
          {"most_processes", outcome.tree ? ordered_json(tree.most_processes) : ordered_json(nullptr)}};
}

}  // namespace

std::string WrapReportText(const WrapOutcome& outcome) {
  const WrapTotals totals = TotalsOf(outcome);
  std::string text = fmt::format("sluice: {}: {} after {}\n", CommandText(outcome.command),
                                 EndText(outcome.end), FormatDuration(outcome.wall));
  text += Line("CPU", CpuText(totals, outcome.cores));
  text += Line("runnable", totals.runnable ? Percent(totals.runnable->value) +
                                                 " of the time that threads wanted a core they waited for one"
                                           : kMissing);
  text += Line("main thread", MainThreadText(outcome));
  text += Line("memory", MemoryText(totals, outcome.tree));
  text += Line("files", FilesText(totals, outcome.tree));
  text += Line("faults", fmt::format("{} major; switches: {} voluntary, {} involuntary",
                                     Or(totals.major_faults), Or(totals.voluntary), Or(totals.involuntary)));
  for (const wrap::GpuUse& gpu : outcome.gpus) text += Line("GPU", GpuText(gpu));
  if (!outcome.loaders) return text + Line("loaders", "the agent did not answer in time");
  if (!AnyBatches(*outcome.loaders)) return text + Line("loaders", NoLoadersText(outcome));
  return text + LoadersText(*outcome.loaders, FactsOf(outcome));
}

std::string WrapReportJson(const WrapOutcome& outcome) {
  ordered_json json = {{"format", "sluice-wrap-result"}, {"format_version", 1}};
  json["command"] = outcome.command;
  json["run_id"] = outcome.run_id;
  json["ended"] = EndJson(outcome.end);
  json["wall_seconds"] = Seconds(outcome.wall);
  json["cores"] = outcome.cores;
  json["used"] = UseJson(outcome);
  json["gpus"] = ordered_json::array();
  for (const wrap::GpuUse& gpu : outcome.gpus) json["gpus"].push_back(GpuJson(gpu));
  json["loaders"] = outcome.loaders ? LoadersJson(*outcome.loaders, FactsOf(outcome)) : ordered_json(nullptr);
  json["loaders_text"] =
      outcome.loaders ? ordered_json(LoadersText(*outcome.loaders, FactsOf(outcome))) : ordered_json(nullptr);
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::app
