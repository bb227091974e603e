#include "sim/bench_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sim/scenario_files.h"
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

Result<evaluation::SuiteOptions> Prepare(const BenchOptions& options) {
  evaluation::SuiteOptions suite;
  auto controllers = evaluation::ControllerNames(options.controllers);
  if (!controllers) return Fail("--controllers: " + controllers.error().message);
  const auto files = FindScenarioFiles(options.scenarios);
  if (!files) return Fail("--scenarios: " + files.error().message);
  auto scenarios = LoadScenarioFiles(*files);
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

Result<void> CheckFiles(const BenchOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return can;
  return CanBeWritten("--markdown", options.markdown);
}

// One line that is written over on a terminal, else a line per tenth of the work.
class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

  void Show(std::size_t done, std::size_t all, const std::string& name) {
    if (quiet_) return;
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%zu of %zu runs per controller: %s", done, all, name.c_str());
      if (done == all) std::fputs("\r\033[K", stderr);
    } else if (done * 10 / all != (done - 1) * 10 / all) {
      std::fprintf(stderr, "%zu of %zu runs per controller\n", done, all);
    }
  }

 private:
  const bool quiet_;
  const bool terminal_;
};

Result<void> WriteAll(const BenchOptions& options, const evaluation::SuiteResult& result) {
  if (!options.json.empty()) {
    if (const auto written = exporters::WriteFile(options.json, evaluation::SuiteJson(result)); !written)
      return written;
  }
  if (!options.markdown.empty())
    return exporters::WriteFile(options.markdown, evaluation::SuiteMarkdown(result));
  return {};
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
  const auto suite = Prepare(options);
  if (!suite) return Complain(suite.error(), kExitUsage);
  Progress progress(options.quiet);
  const auto result = evaluation::RunSuite(
      *suite,
      [&](std::size_t done, std::size_t all, const std::string& name) { progress.Show(done, all, name); });
  if (!result) return Complain(result.error(), kExitUsage);
  if (const auto written = WriteAll(options, *result); !written)
    return Complain(written.error(), kExitFailed);
  if (const int code = PrintOut(evaluation::SuiteText(*result)); code != kExitDone) return code;
  if (!options.check || !MissesAFloor(*result)) return kExitDone;
  std::fprintf(stderr, "sluice: %s misses a floor; the list is at the end of the table\n",
               evaluation::kOurs.data());
  return kExitFloor;
}

}  // namespace sluice::app
