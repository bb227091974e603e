#include "explain/steady_verdict.h"

#include <utility>

namespace sluice::autotune {

Verdict SteadyVerdict::Show(Verdict verdict, MonoTime now, bool changed) {
  shown_.regimes = verdict.regimes;  // these have a steadiness of their own
  const bool same = verdict.limit == shown_.limit && verdict.op == shown_.op;
  const bool free = same || changed || shown_.limit == Limit::kUnknown;
  if (!free && !contradicted_since_) contradicted_since_ = now;
  if (!free && now - *contradicted_since_ < settings_.verdict_lasts) return shown_;
  contradicted_since_.reset();
  return shown_ = std::move(verdict);
}

}  // namespace sluice::autotune
