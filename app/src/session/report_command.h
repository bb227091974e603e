// `sluice report`: a recorded run as one page for a browser.
#pragma once
#include <string>

namespace sluice::app {

struct ReportOptions {
  std::string session;  // file
  std::string output;   // file; empty: standard output
};

// Returns the exit status.
[[nodiscard]] int WriteReport(const ReportOptions& options);

}  // namespace sluice::app
