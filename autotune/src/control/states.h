// The states of the controller. Each owns what only it needs; what lasts longer is in Knowledge. A step
// returns the state that follows; beside it only AutoTune changes the state, where others have changed a
// knob, another phase has begun, or that of a trial that was set aside has come back. One thread.
//
//    Observing <--------> Trying         a plan is tried; it was kept, or undone
//        ^  \               |
//        |   v              v
//        +-- Resting <------+            nothing is worth a try; a shift, another's change, a long rest
#pragma once
#include <optional>
#include <variant>

#include "all_settings.h"
#include "control/knowledge.h"
#include "experiment/trial.h"

namespace sluice::autotune {

// Measures what is in force, and looks for something better.
struct Observing {
  explicit Observing(const AutoTuneSettings& settings) : windows(settings) {}
  Observing(Settling until, RateWindows so_far) : settling(until), windows(std::move(so_far)) {}
  Settling settling{};
  RateWindows windows;
};

// Has changed something, and measures what comes of it.
struct Trying {
  Trial trial;
};

// Watches for shifts. Steps down what is not needed.
struct Resting {
  MonoTime since;
  Settling settling;
  RateWindows windows;
};

// So much more is worth a plan at once.
inline constexpr double kUrgentGain = 0.5;

using State = std::variant<Observing, Trying, Resting>;

// What the controller saw this time.
struct Moment {
  const Snapshot& seen;
  const Interval& interval;
};

struct Step {
  Decision decision{};
  std::optional<State> next{};  // nullopt: the same
};

[[nodiscard]] Step StepOf(Observing& state, Knowledge& known, const Moment& now);
[[nodiscard]] Step StepOf(Trying& state, Knowledge& known, const Moment& now);
[[nodiscard]] Step StepOf(Resting& state, Knowledge& known, const Moment& now);

// What is worth a try, by `state`: a trial, a rest, or to go on observing. `shift`: has just been noticed,
// and the rate has not been measured since.
[[nodiscard]] Step Consider(Observing state, Knowledge& known, const Snapshot& seen,
                            const Shift* shift = nullptr);
// `plan` is tried against the rate `before`; only said with --advise.
[[nodiscard]] Step Try(Knowledge& known, const Snapshot& seen, Plan plan, TrialKind kind, RateSummary before,
                       std::string because);
// All is open again.
[[nodiscard]] Observing Reopened(Knowledge& known, const Snapshot& seen);
// What a shift calls for. A new cost or demand says at once what to do; a new rate alone has to be looked
// into.
[[nodiscard]] Step Respond(Knowledge& known, const Moment& now, const Shift& shift);
[[nodiscard]] Resting Rest(Knowledge& known, MonoTime now, const Settling& settling, bool after_trim = false);
// Its end is not awaited.
void Abandon(const Trying& state, Knowledge& known);
// Another phase has begun, for long: it goes on when its own comes back.
void SetAside(Trying state, Knowledge& known);
// That of the present phase, which was set aside; nullopt: there is none, or its knobs have been changed.
[[nodiscard]] std::optional<Trying> Resume(Knowledge& known, const Snapshot& seen);

}  // namespace sluice::autotune
