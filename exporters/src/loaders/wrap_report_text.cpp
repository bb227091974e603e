#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "loaders/loaders_text.h"
#include "sluice/base/text.h"
#include "sluice/exporters/wrap_report.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kLongestCommand = 60;
constexpr const char* kNotMeasured = "not measured";

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

std::string EndText(const CommandEnding& ended) {
  if (ended.exit_code) return fmt::format("exit status {}", *ended.exit_code);
  if (!ended.signal) return "ended";
  const char* name = sigabbrev_np(*ended.signal);
  return fmt::format("killed by SIG{}{}", name != nullptr ? name : std::to_string(*ended.signal),
                     ended.core_dumped ? " (core dumped)" : "");
}

std::string Or(const std::optional<Bytes>& bytes) {
  return bytes ? FormatBytes(*bytes) : kNotMeasured;
}

std::string Or(const std::optional<std::int64_t>& count) {
  return count ? FormatCount(static_cast<double>(*count)) : kNotMeasured;
}

std::string CpuText(const WrapTotals& totals, double cores) {
  if (!totals.user || !totals.system) return kNotMeasured;
  const std::string mean =
      totals.mean_cores ? fmt::format(": {:.2f} of {:g} cores", *totals.mean_cores, cores) : "";
  return fmt::format("{} user, {} system{}", FormatDuration(*totals.user), FormatDuration(*totals.system),
                     mean);
}

std::string MainThreadText(const MainThreadUse& main) {
  const Fraction on = Share(main.on_cpu, main.lived);
  const Fraction runnable = Share(main.runnable, main.lived);
  return fmt::format(
      "{} on-CPU, {} runnable, {} off-CPU ({}, pid {})", PercentText(on), PercentText(runnable),
      PercentText(Fraction{std::max(0.0, 1 - on.value - runnable.value)}), main.name, main.pid);
}

std::string MainThreadText(const WrapReport& report) {
  const auto& main = report.main_thread;
  return main && main->lived > Nanos(0) ? MainThreadText(*main) : kNotMeasured;
}

// Why there is nothing to say of loaders.
std::string NoLoadersText(const WrapReport& report) {
  if (!report.kept_out.empty()) return "not measured: " + report.kept_out;
  if (report.seen && report.seen->stray) {
    const StrayPython& stray = *report.seen->stray;
    const std::string who = fmt::format("not measured: {} (pid {}) ", stray.name, stray.pid);
    if (stray.user) {
      return fmt::format(
          "{}runs as user {}, and only that user sees its loaders; run `sluice wrap` as that user", who,
          *stray.user);
    }
    return who +
           "was started without this run's PYTHONPATH, as by env -i, sudo or a script that sets it; put "
           "`sluice wrap --` directly before python3";
  }
  if (report.seen && report.seen->pythons == 0) return "none: no Python process was seen";
  return "none: no PyTorch DataLoader handed out a batch; sluice.measure(ITERABLE) in the script measures "
         "another loop";
}

std::string MemoryText(const WrapReport& report) {
  const auto& seen = report.seen;
  std::string text = fmt::format("peak RSS {}, peak PSS {}", Or(report.used.peak_rss),
                                 Or(seen ? seen->peak_pss : std::nullopt));
  if (seen && seen->processes > 0) {
    text += fmt::format("; {} process{} seen, at most {} at once", seen->processes,
                        seen->processes == 1 ? "" : "es", seen->most_processes);
  }
  return text;
}

std::string FilesText(const WrapReport& report) {
  const auto& seen = report.seen;
  return fmt::format("read {}, written {}; from storage {}, to it {}", Or(seen ? seen->read : std::nullopt),
                     Or(seen ? seen->written : std::nullopt), Or(report.used.storage_read),
                     Or(report.used.storage_written));
}

std::string GpuText(const GpuUse& gpu) {
  return fmt::format("{} busy, at most {}; peak memory {} of {} ({})", PercentText(gpu.mean_busy),
                     PercentText(gpu.peak_busy), FormatBytes(gpu.peak_memory), FormatBytes(gpu.memory),
                     gpu.name);
}

std::string Line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<12} {}\n", label, text);
}

}  // namespace

std::string WrapReportText(const WrapReport& report) {
  const WrapTotals& used = report.used;
  std::string text = fmt::format("sluice: {}: {} after {}\n", CommandText(report.command),
                                 EndText(report.ended), FormatDuration(report.wall));
  text += Line("CPU", CpuText(used, report.cores));
  text += Line("runnable", used.runnable ? PercentText(used.runnable) +
                                               " of the time that threads wanted a core they waited for one"
                                         : kNotMeasured);
  text += Line("main thread", MainThreadText(report));
  text += Line("memory", MemoryText(report));
  text += Line("files", FilesText(report));
  text += Line("faults", fmt::format("{} major; switches: {} voluntary, {} involuntary",
                                     Or(used.major_faults), Or(used.voluntary), Or(used.involuntary)));
  for (const GpuUse& gpu : report.gpus) text += Line("GPU", GpuText(gpu));
  if (!report.loaders) return text + Line("loaders", "the agent did not answer in time");
  if (report.loaders->empty()) return text + Line("loaders", NoLoadersText(report));
  return text + LoadersText(*report.loaders, used.storage_read);
}

}  // namespace sluice::exporters
