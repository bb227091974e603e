#include "control/control_bodies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 64, kLongestReason = 400;  // bytes
constexpr double kLeastSeconds = 1, kMostSeconds = 3600, kSeconds = 30;
constexpr int kDeepest = 8;
constexpr std::size_t kQuoted = 60;  // bytes of a value, in a refusal

std::unexpected<Refusal> Refuse(int status, std::string why) {
  return std::unexpected(Refusal{status, std::move(why)});
}

std::string Quoted(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kQuoted) text = text.substr(0, kQuoted) + "...";
  return text;
}

// An object with no other fields than these.
Asked<Json> ReadObject(std::string_view body, std::initializer_list<std::string_view> fields) {
  bool too_deep = false;  // for a stack: what is refused is quoted
  const auto look = [&](int depth, Json::parse_event_t, Json&) { return !(too_deep |= depth > kDeepest); };
  Json json = Json::parse(body, look, false);
  if (too_deep) return Refuse(400, "the body is nested too deeply; no request needs that");
  if (json.is_discarded()) return Refuse(400, "the body is no JSON; send an object, such as {}");
  if (!json.is_object())
    return Refuse(400, fmt::format("the body is {}; send an object, such as {{}}", Quoted(json)));
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(fields, name) != fields.end()) continue;
    if (fields.size() == 0) return Refuse(400, fmt::format("there is no field {}; send {{}}", Quoted(name)));
    return Refuse(400,
                  fmt::format("there is no field {}; there are: {}", Quoted(name), fmt::join(fields, ", ")));
  }
  return json;
}

Asked<std::string> ReadText(const Json& json, const char* field, std::size_t longest) {
  if (!json.contains(field)) return std::string();
  const Json& value = json[field];
  if (!value.is_string()) return Refuse(400, fmt::format("{}: {} is no text", field, Quoted(value)));
  auto text = value.get<std::string>();
  if (text.size() > longest)
    return Refuse(400, fmt::format("{}: it has {} bytes; {} are enough", field, text.size(), longest));
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(text, is_control))
    return Refuse(400, fmt::format("{}: {} has control characters; leave them out", field, Quoted(value)));
  return text;
}

Asked<const Knob*> FindKnob(const std::string& name, const std::string& field,
                            const std::vector<Knob>& knobs) {
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  if (found != knobs.end()) return &*found;
  std::vector<std::string> names;
  names.reserve(knobs.size());
  for (const Knob& knob : knobs) names.push_back(knob.name);
  const std::string near = Nearest(name, names);
  return Refuse(422, fmt::format("{}: there is no knob {}; {}", field, Quoted(name),
                                 near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean {}?", near)));
}

// Empty: nothing.
std::string WhatKeeps(const Knob& knob) {
  switch (knob.held) {
    case HeldBecause::kNot:
      break;
    case HeldBecause::kAdvise:
      return "nothing is to be touched (--advise, --no-tune); start the run without it";
    case HeldBecause::kWatching:
      return "it is not known yet whether a change would change results; try again later";
    default:
      return "a change would change results, or is not known to be safe (docs/wrapping.md); leave it";
  }
  if (knob.takes_effect != TakesEffect::kNextRun) return {};
  return "it takes effect in the next run only; start that with it";
}

Asked<std::int64_t> ReadNumber(const Json& value, const std::string& field, const Knob& knob) {
  if (!value.is_number_integer() && !value.is_number_unsigned())
    return Refuse(400, fmt::format("{}: {} is no whole number; give {} to {}", field, Quoted(value), knob.min,
                                   knob.max));
  const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62;
  const std::int64_t number = huge ? std::int64_t{1} << 62 : value.get<std::int64_t>();
  if (number < knob.min || number > knob.max)
    return Refuse(
        422, fmt::format("{}: {} is out of range; give {} to {}", field, Quoted(value), knob.min, knob.max));
  return number;
}

// One that may be set.
Asked<std::int64_t> ReadValue(const Json& value, const std::string& field, const Knob& knob) {
  const auto number = ReadNumber(value, field, knob);
  if (!number) return number;
  if (const std::string why = WhatKeeps(knob); !why.empty())
    return Refuse(409, fmt::format("{}: {} cannot be set: {}", field, Quoted(value), why));
  return number;
}

using ReadOne = Asked<std::int64_t> (*)(const Json&, const std::string&, const Knob&);

// Of what was asked for last; also what stays the same.
Asked<std::vector<KnobChange>> ReadSet(const Json& json, const std::vector<Knob>& knobs, ReadOne read) {
  const Json set = json.value("set", Json());
  if (!set.is_object() || set.empty())
    return Refuse(400, "set: it is missing, or no object with knobs; send {\"set\": {\"OP.workers\": 4}}");
  std::vector<KnobChange> changes;
  for (const auto& [name, value] : set.items()) {
    const auto knob = FindKnob(name, "set", knobs);
    if (!knob) return std::unexpected(knob.error());
    const auto to = read(value, "set." + name, **knob);
    if (!to) return std::unexpected(to.error());
    changes.push_back({(*knob)->id, (*knob)->requested, *to});
  }
  return changes;
}

// {"min": 2, "max": 8}; what is left out is the run's own.
Asked<exporters::KnobBound> ReadBound(const Json& value, const std::string& field, const Knob& knob) {
  if (!value.is_object() || value.empty())
    return Refuse(400,
                  fmt::format("{}: {} is no range; send {{\"min\": {}, \"max\": {}}}, or null for all of it",
                              field, Quoted(value), knob.min, knob.max));
  exporters::KnobBound bound{knob.id, knob.min, knob.max};
  for (const auto& [name, number] : value.items()) {
    if (name != "min" && name != "max")
      return Refuse(400, fmt::format("{}: there is no field {}; there are: min, max", field, Quoted(name)));
    const auto read = ReadNumber(number, fmt::format("{}.{}", field, name), knob);
    if (!read) return std::unexpected(read.error());
    (name == "min" ? bound.min : bound.max) = *read;
  }
  if (bound.min > bound.max)
    return Refuse(422, fmt::format("{}: {} has min above max; exchange them", field, Quoted(value)));
  return bound;
}

}  // namespace

Asked<AskedLease> ReadLease(std::string_view body) {
  const auto json = ReadObject(body, {"name", "seconds"});
  if (!json) return std::unexpected(json.error());
  auto name = ReadText(*json, "name", kLongestName);
  if (!name) return std::unexpected(name.error());
  if (name->empty()) return Refuse(400, "name: it is missing; say who you are: {\"name\": \"alice\"}");
  const Json seconds = json->value("seconds", Json(kSeconds));
  const bool fits =
      seconds.is_number() && seconds.get<double>() >= kLeastSeconds && seconds.get<double>() <= kMostSeconds;
  if (!fits)
    return Refuse(422, fmt::format("seconds: {} is out of range; give {} to {}", Quoted(seconds),
                                   kLeastSeconds, kMostSeconds));
  return AskedLease{std::move(*name), FromSeconds(seconds.get<double>())};
}

Asked<AskedChange> ReadChange(std::string_view body, const std::vector<Knob>& knobs) {
  const auto json = ReadObject(body, {"set", "pin", "because"});
  if (!json) return std::unexpected(json.error());
  AskedChange asked;
  auto because = ReadText(*json, "because", kLongestReason);
  if (!because) return std::unexpected(because.error());
  asked.because = std::move(*because);
  const Json pin = json->value("pin", Json(false));
  if (!pin.is_boolean()) return Refuse(400, fmt::format("pin: {} is neither true nor false", Quoted(pin)));
  auto changes = ReadSet(*json, knobs, ReadValue);
  if (!changes) return std::unexpected(changes.error());
  for (const KnobChange& change : *changes) {
    if (change.to != change.from) asked.changes.push_back(change);
    if (pin) asked.pins.push_back(change.knob);
  }
  return asked;
}

Asked<std::vector<KnobChange>> ReadForecast(std::string_view body, const std::vector<Knob>& knobs) {
  const auto json = ReadObject(body, {"set"});
  if (!json) return std::unexpected(json.error());
  return ReadSet(*json, knobs, ReadNumber);
}

Asked<AskedBounds> ReadBounds(std::string_view body, const std::vector<Knob>& knobs) {
  const auto json = ReadObject(body, {"bounds"});
  if (!json) return std::unexpected(json.error());
  const Json bounds = json->value("bounds", Json());
  if (!bounds.is_object() || bounds.empty())
    return Refuse(400,
                  "bounds: it is missing, or no object with knobs; send {\"bounds\": "
                  "{\"OP.workers\": {\"min\": 1, \"max\": 8}}}");
  AskedBounds asked;
  for (const auto& [name, value] : bounds.items()) {
    const auto knob = FindKnob(name, "bounds", knobs);
    if (!knob) return std::unexpected(knob.error());
    if (value.is_null()) {
      asked.lifted.push_back((*knob)->id);
      continue;
    }
    const auto bound = ReadBound(value, "bounds." + name, **knob);
    if (!bound) return std::unexpected(bound.error());
    asked.bounds.push_back(*bound);
    const std::int64_t to = std::clamp((*knob)->requested, bound->min, bound->max);
    if (to == (*knob)->requested) continue;
    if (const std::string why = WhatKeeps(**knob); !why.empty())
      return Refuse(409, fmt::format("bounds.{}: it is {}, which is outside, and cannot be set: {}", name,
                                     (*knob)->requested, why));
    asked.changes.push_back({(*knob)->id, (*knob)->requested, to});
  }
  return asked;
}

Asked<std::vector<KnobId>> ReadKnobNames(std::string_view body, const std::vector<Knob>& knobs) {
  const auto json = ReadObject(body, {"knobs"});
  if (!json) return std::unexpected(json.error());
  const Json names = json->value("knobs", Json());
  if (!names.is_array() || names.empty())
    return Refuse(400, "knobs: it is missing, or no list of names; send {\"knobs\": [\"OP.workers\"]}");
  std::vector<KnobId> ids;
  for (const Json& name : names) {
    if (!name.is_string()) return Refuse(400, fmt::format("knobs: {} is no name", Quoted(name)));
    const auto knob = FindKnob(name.get<std::string>(), "knobs", knobs);
    if (!knob) return std::unexpected(knob.error());
    ids.push_back((*knob)->id);
  }
  return ids;
}

Asked<void> ReadNothing(std::string_view body) {
  if (body.empty()) return {};
  const auto json = ReadObject(body, {});
  if (!json) return std::unexpected(json.error());
  return {};
}

}  // namespace sluice::app
