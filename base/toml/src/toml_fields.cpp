#include "sluice/toml/toml_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sluice/base/text.h"

namespace sluice::toml {
namespace {

constexpr std::size_t kLongestQuote = 40;

std::string Quote(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  return fmt::format("\"{}{}\"", text.substr(0, kLongestQuote), cut ? "..." : "");
}

std::string Shown(const ::toml::node& node) {
  if (const auto* text = node.as_string()) return Quote(text->get());
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (node.is_array()) return "an array";
  return node.is_table() ? "a table" : "a date or time";
}

const std::string* Text(const ::toml::node& node) {
  const auto* text = node.as_string();
  return text == nullptr ? nullptr : &text->get();
}

template <typename T>
Result<void> ToNumbers(const TomlValue& value, std::string_view key, std::vector<T>& out) {
  const ::toml::array* array = value.node().as_array();
  if (array == nullptr) return value.Refuse("an array of numbers");
  std::vector<T> numbers;
  for (const ::toml::node& element : *array) {
    double number = 0;
    if (auto read = TomlValue(element, value.place(), key).To(number); !read) return read;
    numbers.push_back(static_cast<T>(number));
  }
  out = std::move(numbers);
  return {};
}

}  // namespace

std::unexpected<Error> FailAt(const Place& place, const ::toml::node& node, std::string_view message) {
  return sluice::Fail(fmt::format("{}:{}: {}{}{}", place.file, node.source().begin.line, place.where,
                                  place.where.empty() ? "" : ": ", message));
}

std::unexpected<Error> TomlValue::Fail(std::string_view message) const {
  return FailAt(place_, node_, fmt::format("{}: {}", key_, message));
}

std::unexpected<Error> TomlValue::Refuse(std::string_view wanted) const {
  return Fail(fmt::format("must be {}, not {}", wanted, Shown(node_)));
}

Result<void> TomlValue::To(std::string& out) const {
  const std::string* text = Text(node_);
  if (text == nullptr) return Refuse("a string");
  out = *text;
  return {};
}

Result<void> TomlValue::To(bool& out) const {
  const auto* truth = node_.as_boolean();
  if (truth == nullptr) return Refuse("true or false");
  out = truth->get();
  return {};
}

Result<void> TomlValue::To(double& out) const {
  const auto number = node_.value<double>();
  if (!number || !node_.is_number() || !std::isfinite(*number)) return Refuse("a finite number");
  out = *number;
  return {};
}

Result<void> TomlValue::To(Nanos& out) const {
  const std::string* text = Text(node_);
  if (text == nullptr) return Refuse("a duration with its unit, such as \"2ms\"");
  const auto parsed = ParseDuration(*text);
  if (!parsed) return Fail(parsed.error().message);
  out = *parsed;
  return {};
}

Result<void> TomlValue::To(Bytes& out) const {
  const std::string* text = Text(node_);
  if (text == nullptr) return Refuse("an amount of bytes with its unit, such as \"512MiB\"");
  const auto parsed = ParseBytes(*text);
  if (!parsed) return Fail(parsed.error().message);
  out = *parsed;
  return {};
}

Result<void> TomlValue::To(std::vector<double>& out) const {
  return ToNumbers(*this, key_, out);
}
Result<void> TomlValue::To(std::vector<float>& out) const {
  return ToNumbers(*this, key_, out);
}

Result<void> TomlValue::ToPair(double& first, double& second) const {
  std::vector<double> numbers;
  if (!node_.is_array() || node_.as_array()->size() != 2) return Refuse("two numbers, [low, high]");
  if (auto read = To(numbers); !read) return read;
  first = numbers[0];
  second = numbers[1];
  return {};
}

Result<void> TomlValue::ToSize(int& height, int& width) const {
  const ::toml::array* pair = node_.as_array();
  if (pair == nullptr && node_.is_integer()) {
    auto read = To(height);
    width = height;
    return read;
  }
  if (pair == nullptr || pair->size() != 2) return Refuse("a whole number or [height, width]");
  auto read = TomlValue(*pair->get(0), place_, key_).To(height);
  return read ? TomlValue(*pair->get(1), place_, key_).To(width) : read;
}

Result<std::int64_t> TomlValue::Integer() const {
  const auto* integer = node_.as_integer();
  if (integer == nullptr) return Refuse("a whole number");
  return integer->get();
}

Result<std::size_t> TomlValue::IndexOf(const std::vector<std::string>& words) const {
  const std::string* text = Text(node_);
  if (text == nullptr) return Refuse(fmt::format("one of \"{}\"", fmt::join(words, "\", \"")));
  const auto found = std::ranges::find(words, *text);
  if (found == words.end()) return Fail(fmt::format("unknown {}{}", Quote(*text), Suggest(*text, words)));
  return static_cast<std::size_t>(found - words.begin());
}

std::string Suggest(std::string_view word, const std::vector<std::string>& known) {
  // The distance is quadratic: no need to measure a novel.
  const std::string near = word.size() <= kLongestQuote ? Nearest(word, known) : "";
  return near.empty() ? fmt::format("; there are: {}", fmt::join(known, ", "))
                      : fmt::format(" (did you mean '{}'?)", near);
}

Result<void> RefuseUnknown(const ::toml::table& table, const Place& place,
                           const std::vector<std::string>& known) {
  for (const auto& [key, node] : table) {
    if (std::ranges::count(known, key.str()) > 0) continue;
    const std::string_view shown = key.str().substr(0, kLongestQuote);
    return FailAt(place, node, fmt::format("unknown key '{}'{}", shown, Suggest(key.str(), known)));
  }
  return {};
}

}  // namespace sluice::toml
