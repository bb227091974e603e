// Plan: a run that is about to be started from the window: of which scenario, and with which settings. Values
// and immutable functions; the window keeps one while its form is shown.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/ui/steering.h"

namespace sluice::ui {

struct PlanField {
  std::string name{};                  // "decode.workers", "duration"
  std::string value{};                 // as it will be; empty: not given
  std::string hint{};                  // "1 to 64", "such as 30s; nothing: to the end of the data"
  std::vector<std::string> choices{};  // not empty: it is one of these
  std::optional<KnobRange> range{};    // it is a whole number in there
  std::string first{};                 // what the scenario has

  [[nodiscard]] bool changed() const { return value != first; }
};

struct Plan {
  std::string of{};    // the scenario's file
  std::string name{};  // "mixed"
  std::string summary{};
  bool simulated = false;
  std::vector<PlanField> fields{};
  std::size_t row = 0;    // the field that is typed into
  bool untouched = true;  // what is typed next stands instead of its value
};

// A character more in the chosen field, or the last one taken back. Nothing happens to a field of choices.
[[nodiscard]] Plan WithTyped(Plan plan, unsigned int character);
[[nodiscard]] Plan WithErased(Plan plan);
// Another field is chosen: `by` further down, all around; or this one.
[[nodiscard]] Plan WithRow(Plan plan, int by);
[[nodiscard]] Plan WithChosen(Plan plan, std::size_t row);
// The next choice, or a number that is greater by as much. Nothing happens to other fields.
[[nodiscard]] Plan WithStep(Plan plan, int by);

// The first field that cannot be as it is, and why; empty: it can be started. Whoever starts it may still
// refuse it.
[[nodiscard]] std::string WhatIsWrong(const Plan& plan);

}  // namespace sluice::ui
