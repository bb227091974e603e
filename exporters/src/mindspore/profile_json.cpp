#include "mindspore/profile_json.h"

#include <fmt/format.h>

#include <utility>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kShown = 40;  // bytes of a wrong value

std::string Shown(const nlohmann::json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return std::string(Prefix(text, kShown)) + (text.size() > kShown ? "..." : "");
}

}  // namespace

Result<ProfileJson> ProfileJson::Parse(const std::string& path, std::string_view text) {
  try {
    return ProfileJson(path, nlohmann::json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte >= text.size()) {
      return Fail(fmt::format("{} ends in the middle, after {} bytes: it was cut off; copy it again, or {}",
                              path, text.size(), kTakeAnother));
    }
    return Fail(fmt::format("{} is no JSON at byte {}; {}", path, error.byte, kTakeAnother));
  } catch (const nlohmann::json::exception&) {  // a number beyond all bounds
    return Fail(fmt::format("{} holds a number that is out of range; {}", path, kTakeAnother));
  }
}

bool ProfileField::present() const {
  return value_ != nullptr && !value_->is_null();
}

ProfileField ProfileField::operator[](const char* name) const {
  const nlohmann::json* found = nullptr;
  if (value_ != nullptr && value_->is_object()) {
    const auto member = value_->find(name);
    if (member != value_->end()) found = &*member;
  } else if (present()) {
    Refuse(fmt::format("is {}, not an object", Shown(*value_)));
  }
  return {*document_, found, where_.empty() ? name : where_ + "." + name};
}

std::size_t ProfileField::size() const {
  if (value_ != nullptr && value_->is_array()) return value_->size();
  Refuse(present() ? fmt::format("is {}, not an array", Shown(*value_)) : "is missing");
  return 0;
}

ProfileField ProfileField::At(std::size_t index) const {
  return {*document_, &value_->at(index), fmt::format("{}[{}]", where_, index)};
}

std::int64_t ProfileField::Whole(std::int64_t least, std::int64_t most) const {
  const bool whole = value_ != nullptr && value_->is_number_integer();
  const bool huge =
      whole && value_->is_number_unsigned() && !std::in_range<std::int64_t>(value_->get<std::uint64_t>());
  const std::int64_t value = whole && !huge ? value_->get<std::int64_t>() : 0;
  if (whole && !huge && value >= least && value <= most) return value;
  Refuse(present() ? fmt::format("is {}, not a whole number from {} to {}", Shown(*value_), least, most)
                   : "is missing");
  return 0;
}

double ProfileField::Real(double least, double most) const {
  const double value = value_ != nullptr && value_->is_number() ? value_->get<double>() : least - 1;
  if (value >= least && value <= most) return value;
  Refuse(present() ? fmt::format("is {}, not a number from {} to {}", Shown(*value_), least, most)
                   : "is missing");
  return 0;
}

std::string ProfileField::Text() const {
  if (value_ != nullptr && value_->is_string()) return value_->get<std::string>();
  Refuse(present() ? fmt::format("is {}, not a text", Shown(*value_)) : "is missing");
  return "";
}

std::vector<std::int64_t> ProfileField::Wholes(std::int64_t least, std::int64_t most) const {
  std::vector<std::int64_t> values(size());
  for (std::size_t i = 0; i < values.size() && !document_->error_; ++i) values[i] = At(i).Whole(least, most);
  return values;
}

std::vector<double> ProfileField::Reals(double least, double most) const {
  std::vector<double> values(size());
  for (std::size_t i = 0; i < values.size() && !document_->error_; ++i) values[i] = At(i).Real(least, most);
  return values;
}

void ProfileField::Refuse(std::string_view what) const {
  if (document_->error_) return;
  document_->error_ = Error{fmt::format("{}: {} {}; {}", document_->path_,
                                        where_.empty() ? "the document" : where_, what, kTakeAnother)};
}

}  // namespace sluice::exporters
