#include "sluice/exporters/doctor_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

using State = DoctorCheck::State;

constexpr int kIndent = 20;

const char* Word(State state) {
  return state == State::kGood ? "ok" : state == State::kNote ? "note" : "BAD";
}

// Paths and options of mounts are whatever somebody has made of them.
std::string Safe(const std::string& text) {
  return Printable(text, true);
}

std::string Details(const DoctorCheck& check) {
  std::string text;
  if (check.state != State::kGood) {
    for (const DoctorEvidence& each : check.evidence)
      text += fmt::format("{:<{}}{}: {}\n", "", kIndent, Safe(each.from), Safe(each.read));
  }
  if (!check.remedy.empty()) text += fmt::format("{:<{}}-> {}\n", "", kIndent, Safe(check.remedy));
  if (!check.costs.empty()) text += fmt::format("{:<{}}costs: {}\n", "", kIndent + 3, Safe(check.costs));
  return text;
}

}  // namespace

std::string DoctorText(const std::vector<DoctorCheck>& checks) {
  std::string text;
  for (const DoctorCheck& check : checks) {
    text += fmt::format("{:<5}{:<15}{}\n", Word(check.state), check.subject, Safe(check.found));
    text += Details(check);
  }
  return text;
}

bool AllWell(const std::vector<DoctorCheck>& checks) {
  return std::ranges::none_of(checks, [](const auto& check) { return check.state == State::kBad; });
}

}  // namespace sluice::exporters
