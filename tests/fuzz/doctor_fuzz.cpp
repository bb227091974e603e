// What the doctor's probe prints in somebody's Python, of any bytes: each check has a subject, and what is
// wrong is said instead of thrown.
#include <cstddef>
#include <cstdint>
#include <string>

#include "doctor/doctor_python.h"
#include "input.h"
#include "sluice/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string answer(sluice::fuzz::Text(data, size));
  for (const char* forbids : {"", "-I"}) {
    const auto checks = sluice::app::ReadAnswer(answer, forbids);
    SLUICE_CHECK(!checks.empty() && checks[0].subject == "interpreter");
    for (const sluice::exporters::DoctorCheck& check : checks) SLUICE_CHECK(!check.subject.empty());
    SLUICE_CHECK(!sluice::exporters::DoctorText(checks).empty());
  }
  return 0;
}
