#include "doctor/doctor_command.h"

#include <utility>

#include "doctor/doctor_machine.h"
#include "doctor/doctor_python.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/exporters/doctor_list.h"
#include "wrap/wrap_plan.h"

namespace sluice::app {

int ExamineWrap(std::vector<std::string> command) {
  WrapOptions options;
  options.command = command.empty() ? std::vector<std::string>{"python3"} : std::move(command);
  const auto plan = PlanWrap(options);
  if (!plan) return Complain(plan.error(), kExitUsage);
  std::vector<exporters::DoctorCheck> checks = CheckCommand(*plan);
  for (exporters::DoctorCheck& check : CheckMachine(OwnVariable, plan->segment_folder))
    checks.push_back(std::move(check));
  const bool well = exporters::AllWell(checks);
  std::string text = exporters::DoctorText(checks);
  text +=
      well ? "\nA wrap would work.\n" : "\nA wrap would not do all that it promises; what is BAD says why.\n";
  const int printed = PrintOut(text);
  return printed != kExitDone ? printed : well ? kExitDone : kExitFailed;
}

}  // namespace sluice::app
