// Trim: decides when to step down what is not needed, and what to. Asymmetric on purpose: growing needs 3 %
// of gain, trimming an op with two and a half times the workers that it needs (fewer where they are processes
// or contend), at every look since the rest began, and a pause after, whatever happens meanwhile, a longer
// one each time a trim had to be given back. One thread.
#pragma once
#include <optional>

#include "all_settings.h"
#include "propose/planner.h"

namespace sluice::autotune {

class Trim {
 public:
  explicit Trim(const AutoTuneSettings& settings) : settings_(settings), pause_(settings.trim_after) {}

  // To be asked at every look of a rest; `measured`: consumer items per second, `quiet_since`: no change
  // since then. nullopt: nothing worth a change, too early, or the model does not explain what was measured.
  [[nodiscard]] std::optional<Plan> Propose(const Planner& planner, double measured, MonoTime now,
                                            MonoTime quiet_since);
  // How the trim that was proposed last ended. It is given back where it cost something, or where the demand
  // that it was made for is over: that comes and goes, as where training and validation take turns.
  void Kept(MonoTime now);
  void GivenBack(MonoTime now);

 private:
  void Note(const Setting& enough, MonoTime quiet_since);

  AutoTuneSettings settings_;
  Setting enough_;  // the most that any look since then asked for
  std::optional<MonoTime> noted_since_;
  Nanos pause_;
  std::optional<MonoTime> last_;
};

}  // namespace sluice::autotune
