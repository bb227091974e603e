// Diagnosis: why the consumer waits, or that it does not, in one sentence with numbers and the remedy. Pure.
#pragma once
#include "all_settings.h"
#include "observe/rate_windows.h"
#include "propose/planner.h"

namespace sluice::autotune {

struct DiagnosisInput {
  const Snapshot& seen;
  const PipelineEstimate& estimate;
  const Planner& planner;
  RateSummary measured;
  bool short_of_memory = false;  // the plan wanted larger buffers than the byte budget allows
};

[[nodiscard]] Verdict Diagnose(const DiagnosisInput& input, const AutoTuneSettings& settings);

// While there is not enough to say.
[[nodiscard]] Verdict StillMeasuring(const Snapshot& seen, MonoTime since);

// How the limit reads as the reason of a change: "decode limits the run: 1 worker is busy 99 % and makes
// 612 rows/s; the consumer could take 800 rows/s".
[[nodiscard]] std::string Reason(const DiagnosisInput& input, const AutoTuneSettings& settings);

}  // namespace sluice::autotune
