// Work that waits for cores or for memory, what to give up first, and what that would cost. Pure functions of
// what was read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/doctor_words.h"
#include "doctor/measured_runs.h"
#include "sluice/base/forecast.h"
#include "sluice/base/knob.h"

namespace sluice::app {

struct Strain {
  bool cpu = false, memory = false;
  [[nodiscard]] bool any() const { return cpu || memory; }
};

// Whether so much waits that something should be given up.
[[nodiscard]] Strain StrainOf(const PressureLook& look);
// CPU, memory, I/O.
[[nodiscard]] std::vector<DoctorCheck> PressureChecks(const PressureLook& look);

// Less of one thing.
struct Cut {
  KnobId id{};
  std::string knob{};
  std::int64_t from = 0, to = 0;
  friend bool operator==(const Cut&, const Cut&) = default;
};

// What a run could do with less of, that which hurts least first: of memory the buffers that hold most, then
// workers; of the cores workers alone, as buffers take none.
[[nodiscard]] std::vector<Cut> CutsOf(const Snapshot& seen, Strain strain);

// What a model expects of a cut, or why nothing is known of that.
struct Foreseen {
  Cut cut{};
  std::optional<Outlook> now{}, then{};
  std::string unknown{};
  std::string by{"the run's own forecast"};
  bool steered = true;  // the run can be changed while it goes on
};

// The cuts in their order, then what only the script can change and there is no forecast for: shuffle buffers
// where memory is short, maps that could be one.
[[nodiscard]] std::vector<DoctorCheck> CutChecks(const MeasuredPipeline& pipeline,
                                                 const std::vector<Foreseen>& foreseen, Strain strain);

}  // namespace sluice::app
