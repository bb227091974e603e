// What the bodies of requests to the control socket ask for, read from untrusted JSON and held against what a
// pipeline has. Immutable functions; refusals name the field and its value and say what to do.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/knob.h"
#include "sluice/base/units.h"
#include "sluice/exporters/control_report.h"

namespace sluice::app {

struct Refusal {
  int status = 400;  // of HTTP
  std::string why;
};
template <typename T>
using Asked = std::expected<T, Refusal>;

struct AskedLease {
  std::string name;
  Nanos length{0};
};
struct AskedChange {
  std::vector<KnobChange> changes;  // of what was asked for last; without those that change nothing
  std::vector<KnobId> pins;
  std::string because;
};
struct AskedBounds {
  std::vector<exporters::KnobBound> bounds;
  std::vector<KnobId> lifted;       // of these there are none any more
  std::vector<KnobChange> changes;  // of what was asked for last, where it lies outside
};

[[nodiscard]] Asked<AskedLease> ReadLease(std::string_view body);
[[nodiscard]] Asked<AskedChange> ReadChange(std::string_view body, const std::vector<Knob>& knobs);
// What may only be asked about may be out of the tuner's hands, too.
[[nodiscard]] Asked<std::vector<KnobChange>> ReadForecast(std::string_view body,
                                                          const std::vector<Knob>& knobs);
// `knobs` with the ranges that the run has.
[[nodiscard]] Asked<AskedBounds> ReadBounds(std::string_view body, const std::vector<Knob>& knobs);
// Of "knobs".
[[nodiscard]] Asked<std::vector<KnobId>> ReadKnobNames(std::string_view body, const std::vector<Knob>& knobs);
// An object without any field.
[[nodiscard]] Asked<void> ReadNothing(std::string_view body);

}  // namespace sluice::app
