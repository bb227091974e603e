// The findings of `sluice doctor`, as lines and as JSON (docs/doctor.md). Immutable functions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::exporters {

inline constexpr int kDoctorFormatVersion = 1;

// What a finding rests on.
struct DoctorEvidence {
  std::string from;  // a file, or what was asked
  std::string read;  // what it said
  friend bool operator==(const DoctorEvidence&, const DoctorEvidence&) = default;
};

struct DoctorCheck {
  enum class State : std::uint8_t { kGood, kNote, kBad };
  State state = State::kGood;
  std::string subject;
  std::string found;
  std::string remedy{};  // what to do about it; empty: nothing
  std::string kind{};    // what programs call it: "read_ahead"; empty: the subject's words
  std::vector<DoctorEvidence> evidence{};
  std::string costs{};  // of the remedy: rights, what else it does, how long it lasts
};

// A line per finding, and for what is not well one per piece of evidence, per remedy and per what that costs.
[[nodiscard]] std::string DoctorText(const std::vector<DoctorCheck>& checks);
[[nodiscard]] std::string DoctorJson(const std::vector<DoctorCheck>& checks);
// As JSON says it.
[[nodiscard]] std::string KindOf(const DoctorCheck& check);
// Whether a wrap would do what it promises.
[[nodiscard]] bool AllWell(const std::vector<DoctorCheck>& checks);

}  // namespace sluice::exporters
