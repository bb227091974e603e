#include "topology/placed_start.h"

#include "sluice/probes/binding.h"

namespace sluice::app {

PlacedStart::PlacedStart(const std::optional<Where>& where) {
  if (!where) return;
  auto before = probes::ReadAffinity(0);
  if (before) before_ = std::move(*before);
  const auto bound = probes::BindThread(0, where->cpus);
  if (!bound) refusal_ = bound.error().message;
  const auto memory = probes::BindOwnMemory(where->nodes);
  if (!memory) refusal_ += (refusal_.empty() ? "" : "; ") + memory.error().message;
}

PlacedStart::~PlacedStart() {
  if (before_.empty()) return;
  static_cast<void>(probes::BindThread(0, before_));
  static_cast<void>(probes::BindOwnMemory({}));
}

}  // namespace sluice::app
