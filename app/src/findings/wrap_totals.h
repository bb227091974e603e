// One figure from two lower bounds: what the kernel says of the command and the children that were waited
// for, and what was seen of all processes of the tree. Immutable functions.
#pragma once
#include <optional>

#include "findings/wrap_report.h"
#include "sluice/base/units.h"

namespace sluice::app {

// nullopt: neither says.
struct WrapTotals {
  std::optional<Nanos> user, system;
  std::optional<double> mean_cores;
  std::optional<Fraction> runnable;  // of the time that threads wanted a core, they waited for one
  std::optional<Bytes> peak_rss, storage_read, storage_written;
  std::optional<std::int64_t> major_faults, voluntary, involuntary;
};

[[nodiscard]] WrapTotals TotalsOf(const WrapOutcome& outcome);

}  // namespace sluice::app
