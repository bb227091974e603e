// Expectation: what should be in force, as far as the controller knows. Where something else is, somebody
// else has changed it. One thread.
#pragma once
#include <vector>

#include "setting/setting.h"
#include "sluice/base/snapshot.h"

namespace sluice::autotune {

class Expectation {
 public:
  // What is in force is right, whoever has set it.
  void Accept(const Snapshot& seen);
  // The controller asks for `changes`. Until they are in force the setting before them is right as well.
  void Ask(const Snapshot& seen, const std::vector<KnobChange>& changes);

  // A knob's value that was not asked for, or another budget of cores or bytes.
  [[nodiscard]] bool ChangedByOthers(const Snapshot& seen) const;

 private:
  [[nodiscard]] bool KnobChanged(const Knob& knob) const;

  Setting expected_;
  Setting before_;
  Budget budget_;
};

}  // namespace sluice::autotune
