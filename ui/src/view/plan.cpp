#include "sluice/ui/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "view/words.h"

namespace sluice::ui {
namespace {

constexpr std::size_t kLongestValue = 4096;  // as long as a path may be

std::optional<std::int64_t> NumberIn(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// nullptr: there is none, or it is one of choices.
PlanField* Typable(Plan& plan) {
  if (plan.row >= plan.fields.size() || !plan.fields[plan.row].choices.empty()) return nullptr;
  return &plan.fields[plan.row];
}

void Choose(PlanField& field, int by) {
  const auto count = static_cast<int>(field.choices.size());
  const auto now = std::ranges::find(field.choices, field.value);
  const int place = now == field.choices.end() ? 0 : static_cast<int>(now - field.choices.begin());
  field.value = field.choices[static_cast<std::size_t>((place + by % count + count) % count)];
}

}  // namespace

Plan WithTyped(Plan plan, unsigned int character) {
  PlanField* const field = Typable(plan);
  if (field == nullptr) return plan;
  std::string value = plan.untouched ? "" : field->value;
  internal::AppendCharacter(value, character);
  if (value.size() > kLongestValue) return plan;
  field->value = std::move(value);
  plan.untouched = false;
  return plan;
}

Plan WithErased(Plan plan) {
  PlanField* const field = Typable(plan);
  if (field == nullptr) return plan;
  internal::EraseCharacter(field->value);
  plan.untouched = false;
  return plan;
}

Plan WithRow(Plan plan, int by) {
  const auto count = static_cast<int>(plan.fields.size());
  if (count == 0) return plan;
  const int row = (static_cast<int>(plan.row) + by % count + count) % count;
  return WithChosen(std::move(plan), static_cast<std::size_t>(row));
}

Plan WithChosen(Plan plan, std::size_t row) {
  plan.row = row;
  plan.untouched = true;
  return plan;
}

Plan WithStep(Plan plan, int by) {
  if (plan.row >= plan.fields.size()) return plan;
  PlanField& field = plan.fields[plan.row];
  plan.untouched = true;
  if (!field.choices.empty()) {
    Choose(field, by);
  } else if (field.range) {
    const std::int64_t from = NumberIn(field.value).value_or(field.range->min);
    field.value = fmt::format("{}", std::clamp(from + by, field.range->min, field.range->max));
  }
  return plan;
}

std::string WhatIsWrong(const Plan& plan) {
  for (const PlanField& field : plan.fields) {
    if (!field.range) continue;
    const auto number = NumberIn(field.value);
    if (!number || *number < field.range->min || *number > field.range->max)
      return fmt::format("{}: '{}' is no whole number from {} to {}", field.name, field.value,
                         field.range->min, field.range->max);
  }
  return {};
}

}  // namespace sluice::ui
