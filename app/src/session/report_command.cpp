#include "session/report_command.h"

#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/exporters/session_page.h"
#include "sluice/exporters/write_file.h"

namespace sluice::app {

int WriteReport(const ReportOptions& options) {
  if (const auto can = CanBeWritten("--output", options.output); !can)
    return Complain(can.error(), kExitUsage);
  const auto session = exporters::SessionReader::Open(options.session);
  if (!session) return Complain(session.error(), kExitFailed);
  const auto page = exporters::SessionPage(*session);
  if (!page) return Complain(page.error(), kExitFailed);
  if (options.output.empty()) return PrintOut(*page);
  const auto written = exporters::WriteFile(options.output, *page);
  return written ? kExitDone : Complain(written.error(), kExitFailed);
}

}  // namespace sluice::app
