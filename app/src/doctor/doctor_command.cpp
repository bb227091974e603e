#include "doctor/doctor_command.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "doctor/doctor_host.h"
#include "doctor/doctor_machine.h"
#include "doctor/doctor_python.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/exporters/doctor_list.h"
#include "wrap/wrap_plan.h"

namespace sluice::app {
namespace {

std::string TextOf(const std::vector<DoctorCheck>& checks) {
  return exporters::DoctorText(checks) +
         (exporters::AllWell(checks) ? "\nA wrap would work.\n"
                                     : "\nA wrap would not do all that it promises; what is BAD says why.\n");
}

}  // namespace

int ExamineWrap(DoctorOptions options) {
  WrapOptions wrapped;
  wrapped.command =
      options.command.empty() ? std::vector<std::string>{"python3"} : std::move(options.command);
  const auto plan = PlanWrap(wrapped);
  if (!plan) return Complain(plan.error(), kExitUsage);
  const auto data = FindDataSets(options.data);
  if (!data) return Complain(data.error(), kExitUsage);
  const FirstLook first = LookFirst();
  std::vector<DoctorCheck> checks = CheckCommand(*plan);
  std::ranges::move(CheckMachine(OwnVariable, plan->segment_folder), std::back_inserter(checks));
  std::ranges::move(CheckHost(first, *data), std::back_inserter(checks));
  const int printed = PrintOut(options.json ? exporters::DoctorJson(checks) : TextOf(checks));
  return printed != kExitDone ? printed : exporters::AllWell(checks) ? kExitDone : kExitFailed;
}

}  // namespace sluice::app
