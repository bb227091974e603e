#include "sim/bench_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sim/random_scenarios.h"
#include "sim/scenario_files.h"
#include "sim/suite_log.h"
#include "sluice/base/text.h"
#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/standing.h"
#include "sluice/evaluation/starts.h"
#include "sluice/evaluation/suite.h"
#include "sluice/evaluation/suite_report.h"
#include "sluice/exporters/write_file.h"

namespace sluice::app {
namespace {

int ThreadsOf(const BenchOptions& options) {
  if (options.jobs > 0) return static_cast<int>(options.jobs);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<std::vector<simulator::SimScenario>> ScenariosOf(const std::string& patterns) {
  if (const auto range = SeedRangeIn(patterns)) {
    if (const auto keeps = KeepsReserved(*range); !keeps) return std::unexpected(keeps.error());
    return RandomScenarios(*range);
  }
  const auto files = FindScenarioFiles(patterns);
  if (!files) return Fail("--scenarios: " + files.error().message);
  return LoadScenarioFiles(*files);
}

Result<evaluation::SuiteOptions> Prepare(const BenchOptions& options) {
  evaluation::SuiteOptions suite;
  auto controllers = evaluation::ControllerNames(options.controllers);
  if (!controllers) return Fail("--controllers: " + controllers.error().message);
  auto scenarios = ScenariosOf(options.scenarios);
  if (!scenarios) return std::unexpected(scenarios.error());
  auto starts = evaluation::StartsNamed(options.starts);
  if (!starts) return Fail("--starts: " + starts.error().message);
  suite.scenarios = std::move(*scenarios);
  suite.starts = std::move(*starts);
  suite.controllers = std::move(*controllers);
  suite.seeds = static_cast<int>(options.seeds);
  suite.threads = ThreadsOf(options);
  return suite;
}

bool IsReserved(const BenchOptions& options) {
  const auto range = SeedRangeIn(options.scenarios);
  return range && range->first == kReserved.first;
}

Result<void> CheckFiles(const BenchOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return can;
  if (const auto can = CanBeWritten("--log", options.log); !can) return can;
  if (IsReserved(options) && !options.markdown.empty())
    return Fail("--markdown: has each scenario, and of reserved seeds only totals are told; use --json");
  return CanBeWritten("--markdown", options.markdown);
}

// One line that is written over on a terminal, else a line per tenth of the work.
class Progress {
 public:
  Progress(const BenchOptions& options, std::size_t known)
      : quiet_(options.quiet),
        names_(!IsReserved(options)),
        terminal_(isatty(STDERR_FILENO) == 1),
        known_(known),
        begin_(std::chrono::steady_clock::now()) {}

  void Show(std::size_t done, std::size_t all, const std::string& name) {
    if (quiet_) return;
    const std::string text = fmt::format("{} of {} runs per controller{}", done, all, Left(done, all));
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s%s%s", text.c_str(), names_ ? ": " : "", names_ ? name.c_str() : "");
      if (done == all) std::fputs("\r\033[K", stderr);
    } else if (done * 10 / all != (done - 1) * 10 / all) {
      std::fprintf(stderr, "%s\n", text.c_str());
    }
  }

 private:
  // As if the runs that are left took as long as those that were made.
  [[nodiscard]] std::string Left(std::size_t done, std::size_t all) const {
    const Nanos passed = std::chrono::steady_clock::now() - begin_;
    const double left =
        Seconds(passed) / static_cast<double>(done - known_) * static_cast<double>(all - done);
    return left < 1 ? "" : fmt::format(", about {} left", FormatDuration(FromSeconds(std::ceil(left))));
  }

  const bool quiet_;
  const bool names_;
  const bool terminal_;
  const std::size_t known_;  // runs of an earlier time
  const std::chrono::steady_clock::time_point begin_;
};

Result<void> WriteAll(const BenchOptions& options, const evaluation::SuiteResult& result) {
  if (!options.json.empty()) {
    const std::string json =
        IsReserved(options) ? evaluation::TotalsJson(result) : evaluation::SuiteJson(result);
    if (const auto written = exporters::WriteFile(options.json, json); !written) return written;
  }
  if (!options.markdown.empty())
    return exporters::WriteFile(options.markdown, evaluation::SuiteMarkdown(result));
  return {};
}

// Of random scenarios nobody wants to read hundreds of tables; of reserved ones nobody may.
std::string TextOf(const BenchOptions& options, const evaluation::SuiteResult& result) {
  if (SeedRangeIn(options.scenarios)) return evaluation::TotalsText(result);
  const std::string text = evaluation::SuiteText(result);
  return result.scenarios.size() > 1 ? text + "\n" + evaluation::TotalsText(result) : text;
}

bool MissesAFloor(const evaluation::SuiteResult& result) {
  for (const evaluation::Standing& standing : evaluation::Standings(result)) {
    if (standing.controller == evaluation::kOurs && !standing.missed.empty()) return true;
  }
  return false;
}

int List() {
  const auto folder = ShippedScenarios();
  if (!folder) return Complain(folder.error(), kExitFailed);
  const auto files = FindScenarioFiles("");
  if (!files) return Complain(files.error(), kExitFailed);
  std::string text = "Controllers\n";
  for (const evaluation::ControllerInfo& info : evaluation::Controllers()) {
    text += fmt::format("  {:<24}{}\n", info.name, info.description);
  }
  text += "\nStarts\n";
  for (const evaluation::Start& start : evaluation::Starts()) {
    text += fmt::format("  {:<24}{}\n", start.name, start.description);
  }
  text += fmt::format("\nScenarios in {}\n", *folder);
  for (const std::string& file : *files) {
    const auto scenarios = LoadScenarioFiles({file});
    if (!scenarios) return Complain(scenarios.error(), kExitUsage);
    const std::string name = std::filesystem::path(file).stem();
    text += fmt::format("  {:<24}{}\n", name, scenarios->front().summary);
  }
  return PrintOut(text);
}

}  // namespace

int BenchAutoTune(const BenchOptions& options) {
  if (options.list) return List();
  if (const auto can = CheckFiles(options); !can) return Complain(can.error(), kExitUsage);
  auto suite = Prepare(options);
  if (!suite) return Complain(suite.error(), kExitUsage);
  SuiteLog log(options.log, options.made_by);
  auto known = log.Read(*suite);
  if (!known) return Complain({"--log: " + known.error().message}, kExitUsage);
  suite->known = std::move(*known);
  Progress progress(options, suite->known.size() * static_cast<std::size_t>(suite->seeds));
  const auto result = evaluation::RunSuite(
      *suite,
      [&](std::size_t done, std::size_t all, const std::string& name) { progress.Show(done, all, name); },
      [&](const evaluation::ScenarioScores& scores) { log.Append(scores); });
  if (!result) return Complain(result.error(), kExitUsage);
  if (!log.written()) return Complain(log.written().error(), kExitFailed);
  if (const auto written = WriteAll(options, *result); !written)
    return Complain(written.error(), kExitFailed);
  if (const int code = PrintOut(TextOf(options, *result)); code != kExitDone) return code;
  if (!options.check || !MissesAFloor(*result)) return kExitDone;
  std::fprintf(stderr, "sluice: %s misses a floor; the list is at the end of the table\n",
               std::string(evaluation::kOurs).c_str());
  return kExitFloor;
}

}  // namespace sluice::app
