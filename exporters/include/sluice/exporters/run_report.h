// RunReport: the whole result of one run as a value, and its two forms: a page of text and a JSON document.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/failed_row.h"
#include "sluice/base/machine_shape.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

enum class RunEnd : std::uint8_t {
  kFinished = 0,     // all epochs are over
  kLimit = 1,        // --duration or --rows was reached
  kInterrupted = 2,  // Ctrl-C or SIGTERM
  kFailed = 3,       // `error` says why
};

// What the consumer had taken when it took one of its items, that item included.
struct TakenMark {
  MonoTime at{0};
  std::uint64_t items = 0;
  std::uint64_t rows = 0;
};

struct RunReport {
  std::string scenario;
  std::string run_id;
  std::string version;  // of sluice
  MachineShape machine;
  Snapshot start;                                // taken when the run began; its knobs are the first settings
  Snapshot end;                                  // taken when it had ended
  std::optional<ConsumerInterval> first_window;  // before tuning had an effect
  std::optional<ConsumerInterval> last_window;
  std::vector<TakenMark> history;  // in the order of time
  DecisionLog decisions;
  Verdict verdict;
  std::vector<std::string> warnings;
  RowFailures rows;
  std::string failed_rows_file;  // that names them; empty: none does
  RunEnd ended = RunEnd::kFinished;
  std::string error;
  int exit_code = 0;
};

// Last over first window's items per second; nullopt where one is missing or nothing flowed.
[[nodiscard]] std::optional<double> Speedup(const RunReport& report);

// "finished", "reached its limit", "was interrupted", "failed".
[[nodiscard]] std::string_view OutcomeText(const RunReport& report);

// A page of text that ends with a line break; lines are at most `style.width` wide.
[[nodiscard]] std::string ReportText(const RunReport& report, const TextStyle& style);

// The document described in docs/result-json.md. Grows by new keys only; anything else raises the version.
inline constexpr int kResultFormatVersion = 1;
[[nodiscard]] std::string ReportJson(const RunReport& report);

}  // namespace sluice::exporters
