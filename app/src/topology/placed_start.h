// PlacedStart: what is started while one exists inherits its CPUs and its memory policy; afterwards the
// calling thread has its own again. The thread that starts it.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/cpu_set.h"
#include "topology/place_command.h"

namespace sluice::app {

class PlacedStart {
 public:
  // nullopt: nothing is placed.
  explicit PlacedStart(const std::optional<Where>& where);
  ~PlacedStart();
  PlacedStart(const PlacedStart&) = delete;
  PlacedStart& operator=(const PlacedStart&) = delete;

  // Why it is not as it was asked for; empty: it is.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  CpuSet before_;  // empty: nothing was changed
  std::string refusal_;
};

}  // namespace sluice::app
