// What a run of a scenario begins with, as the window's form shows it, and the command that it comes to.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/ui/plan.h"

namespace sluice::app {

// Of a live scenario or a simulated one, whichever the file is; where it could be both, the folder of the
// shipped simulated ones decides. An error where it is neither names the file and what is wrong with it as
// each of them.
[[nodiscard]] Result<ui::Plan> PlanOf(const std::string& file);

// The controller of a simulated run, and the one that it is seen beside; empty: none.
[[nodiscard]] std::string ControllerOf(const ui::Plan& plan);
[[nodiscard]] std::string BesideWhom(const ui::Plan& plan);

// Verb and options of `sluice`, without the program. `record`: the file of a simulated run's session; empty:
// none. `beside`: of the one with the other controller.
[[nodiscard]] std::vector<std::string> ArgumentsOf(const ui::Plan& plan, const std::string& record,
                                                   bool beside);

// To be typed into a shell: of a simulated run with one beside it, all that is needed to see both.
[[nodiscard]] std::string CommandOf(const ui::Plan& plan);

}  // namespace sluice::app
