#include "sluice/exporters/doctor_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::exporters {
namespace {

const char* Word(DoctorCheck::State state) {
  return state == DoctorCheck::State::kGood ? "ok" : state == DoctorCheck::State::kNote ? "note" : "BAD";
}

}  // namespace

std::string DoctorText(const std::vector<DoctorCheck>& checks) {
  std::string text;
  for (const DoctorCheck& check : checks) {
    text += fmt::format("{:<5}{:<15}{}\n", Word(check.state), check.subject, check.found);
    if (!check.remedy.empty()) text += fmt::format("{:<20}-> {}\n", "", check.remedy);
  }
  return text;
}

bool AllWell(const std::vector<DoctorCheck>& checks) {
  return std::ranges::none_of(checks,
                              [](const auto& check) { return check.state == DoctorCheck::State::kBad; });
}

}  // namespace sluice::exporters
