#include "session/compare_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/exporters/session_compare.h"

namespace sluice::app {
namespace {

int Judge(const exporters::SessionComparison& comparison, double fail_below) {
  const auto worst = comparison.Worst();
  if (!worst) return Complain({"there is no ratio to judge: one of the runs made no rows"}, kExitFailed);
  if (worst->value >= fail_below) return kExitDone;
  return Complain({fmt::format("below {:g}: B makes {:.3f} of the {} per second of A", fail_below,
                               worst->value, worst->what())},
                  kExitFloor);
}

}  // namespace

int CompareRuns(const CompareOptions& options) {
  const auto a = exporters::SessionReader::Open(options.a);
  if (!a) return Complain(a.error(), kExitFailed);
  const auto b = exporters::SessionReader::Open(options.b);
  if (!b) return Complain(b.error(), kExitFailed);
  const auto comparison = exporters::CompareSessions(*a, *b);
  if (!comparison) return Complain(comparison.error(), kExitFailed);
  const int told = PrintOut(exporters::ComparisonText(*comparison, PageStyle(STDOUT_FILENO)));
  if (told != kExitDone || !options.fail_below) return told;
  return Judge(*comparison, *options.fail_below);
}

}  // namespace sluice::app
