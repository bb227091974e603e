// What `sluice doctor` finds about a command's Python: runs its interpreter once, with the flags of the
// command and the environment of a wrapped run.
#pragma once
#include <string>
#include <vector>

#include "sluice/exporters/doctor_list.h"
#include "wrap/wrap_plan.h"

namespace sluice::app {

// `plan`: of a wrap of the command. Without a package there is nothing to ask.
[[nodiscard]] std::vector<exporters::DoctorCheck> CheckCommand(const WrapPlan& plan);

// What the interpreter's answer (JSON, see python/sluice/_doctor.py) says. Pure. `forbids`: the command's
// flag that keeps sitecustomize out, or empty.
[[nodiscard]] std::vector<exporters::DoctorCheck> ReadAnswer(const std::string& text,
                                                             const std::string& forbids);

}  // namespace sluice::app
