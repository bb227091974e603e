// The findings of `sluice doctor` as lines. Immutable functions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::exporters {

struct DoctorCheck {
  enum class State : std::uint8_t { kGood, kNote, kBad };
  State state = State::kGood;
  std::string subject;
  std::string found;
  std::string remedy;  // what to do about it; empty: nothing
};

// A line per finding, and one per remedy.
[[nodiscard]] std::string DoctorText(const std::vector<DoctorCheck>& checks);
// Whether a wrap would do what it promises.
[[nodiscard]] bool AllWell(const std::vector<DoctorCheck>& checks);

}  // namespace sluice::exporters
