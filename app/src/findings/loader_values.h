// LoaderValues from what was measured: windows from two snapshots of a loader's segment, the costliest step,
// and what limits the loader. Pure functions.
#pragma once
#include <optional>
#include <vector>

#include "loop/agent.h"
#include "sluice/base/knob.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/loader_report.h"
#include "sluice/wrap/process_tree.h"

namespace sluice::app {

[[nodiscard]] exporters::WindowValues ValuesOf(const Span& span);
[[nodiscard]] exporters::LoaderSetting SettingOf(const std::vector<Knob>& knobs);
// The costliest step of what lies in fetches; nullopt where too little was timed.
[[nodiscard]] std::optional<exporters::CostValues> CostliestStep(const Snapshot& end);
// From the window alone; `short_of_memory`: the controller wanted more than the byte budget holds.
[[nodiscard]] exporters::Finding FindLimit(const exporters::WindowValues& window, double cores,
                                           bool short_of_memory);
// What the process tree tells of the windows, and the finding anew.
void NoteMachine(exporters::LoaderValues& values, const wrap::CoresLog& cores);

}  // namespace sluice::app
