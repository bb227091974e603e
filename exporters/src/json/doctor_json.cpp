#include <algorithm>

#include "json/json_values.h"
#include "sluice/exporters/doctor_list.h"

namespace sluice::exporters {
namespace {

using State = DoctorCheck::State;

const char* StateName(State state) {
  return state == State::kGood ? "ok" : state == State::kNote ? "note" : "bad";
}

Json CheckJson(const DoctorCheck& check) {
  Json evidence = Json::array();
  for (const DoctorEvidence& each : check.evidence)
    evidence.push_back({{"from", each.from}, {"read", each.read}});
  return {{"state", StateName(check.state)}, {"kind", KindOf(check)},
          {"subject", check.subject},        {"found", check.found},
          {"evidence", std::move(evidence)}, {"remedy", TextOrNull(check.remedy)},
          {"costs", TextOrNull(check.costs)}};
}

char KindLetter(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
}

}  // namespace

std::string KindOf(const DoctorCheck& check) {
  if (!check.kind.empty()) return check.kind;
  std::string kind;
  for (const char c : check.subject) kind += KindLetter(c);
  return kind.substr(std::min(kind.find_first_not_of('_'), kind.size()));
}

std::string DoctorJson(const std::vector<DoctorCheck>& checks) {
  Json list = Json::array();
  for (const DoctorCheck& check : checks) list.push_back(CheckJson(check));
  return DocumentText({{"format", "sluice-doctor"},
                       {"format_version", kDoctorFormatVersion},
                       {"wrap_works", AllWell(checks)},
                       {"checks", std::move(list)}});
}

}  // namespace sluice::exporters
