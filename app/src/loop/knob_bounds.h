// KnobBounds: between which values users let the controller set knobs. A plant narrows what the controller
// sees of its knobs to that; the run itself knows nothing of it. One thread (the agent's).
#pragma once
#include <optional>
#include <vector>

#include "sluice/base/knob.h"
#include "sluice/exporters/control_report.h"

namespace sluice::app {

class KnobBounds {
 public:
  // In place of an earlier one of this knob.
  void Set(const exporters::KnobBound& bound);
  // It may be whatever the run allows.
  void Lift(KnobId knob);
  [[nodiscard]] const std::vector<exporters::KnobBound>& all() const { return all_; }
  // The knobs, with what is left of their ranges: at least the value that is nearest to the bounds.
  [[nodiscard]] std::vector<Knob> Narrowed(std::vector<Knob> knobs) const;

 private:
  std::vector<exporters::KnobBound> all_;
};

}  // namespace sluice::app
