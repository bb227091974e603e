// SteadyVerdict: shows another verdict only once it has lasted, so that nobody reads two by turns. One
// thread.
#pragma once
#include <optional>

#include "explain/settings.h"
#include "sluice/base/decision.h"

namespace sluice::autotune {

class SteadyVerdict {
 public:
  explicit SteadyVerdict(const ExplainSettings& settings) : settings_(settings) {}

  // What to show at `now`; `changed`: something was changed just now, so the verdict may change at once.
  Verdict Show(Verdict verdict, MonoTime now, bool changed);

 private:
  ExplainSettings settings_;
  Verdict shown_;
  std::optional<MonoTime> contradicted_since_;
};

}  // namespace sluice::autotune
