// Reading TOML into values by tables of fields: one list says which keys exist and where each goes, so that
// what is parsed and what is refused cannot drift apart. Every error starts with file, line and section.
//
// Immutable values; they point into the parsed file, which must outlive them.
#pragma once
#include <toml++/toml.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::toml {

// Where in which file we are, for people: {"scenarios/a.toml", "[[op]] decode"}; `where` may be empty.
struct Place {
  std::string_view file;
  std::string where;
};

// "scenarios/a.toml:12: [[op]] decode: <message>"
[[nodiscard]] std::unexpected<Error> FailAt(const Place& place, const ::toml::node& node,
                                            std::string_view message);

template <typename T>
using Words = std::span<const std::pair<std::string_view, T>>;

// The value behind one key. To(out) changes `out` only when the value has the type of `out` and fits;
// whether it is sensible is for Validate.
class TomlValue {
 public:
  TomlValue(const ::toml::node& node, const Place& place, std::string_view key)
      : node_(node), place_(place), key_(key) {}
  [[nodiscard]] const ::toml::node& node() const { return node_; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] std::string_view key() const { return key_; }
  // "...: workers: <message>"
  [[nodiscard]] std::unexpected<Error> Fail(std::string_view message) const;
  // "...: workers: must be <wanted>, not <what is there>"
  [[nodiscard]] std::unexpected<Error> Refuse(std::string_view wanted) const;

  [[nodiscard]] Result<void> To(std::string& out) const;
  [[nodiscard]] Result<void> To(bool& out) const;
  [[nodiscard]] Result<void> To(double& out) const;  // finite
  [[nodiscard]] Result<void> To(Nanos& out) const;   // "2ms"
  [[nodiscard]] Result<void> To(Bytes& out) const;   // "1MiB"
  [[nodiscard]] Result<void> To(std::vector<double>& out) const;
  [[nodiscard]] Result<void> To(std::vector<float>& out) const;
  [[nodiscard]] Result<void> ToPair(double& first, double& second) const;  // [0.08, 1.0]
  [[nodiscard]] Result<void> ToSize(int& height, int& width) const;        // 224 or [height, width]
  template <std::integral T>
  [[nodiscard]] Result<void> To(T& out) const;
  // One of a few words.
  template <typename T>
  [[nodiscard]] Result<void> ToOneOf(std::type_identity_t<Words<T>> words, T& out) const;

 private:
  [[nodiscard]] Result<std::int64_t> Integer() const;
  [[nodiscard]] Result<std::size_t> IndexOf(const std::vector<std::string>& words) const;

  const ::toml::node& node_;
  const Place& place_;
  std::string_view key_;
};

// A key of T. `read` is null where the caller reads it on its own.
template <typename T>
struct Field {
  std::string_view key;
  Result<void> (*read)(const TomlValue& value, T& into);
  bool required = false;
};
template <typename T>
using Fields = std::span<const Field<T>>;

template <typename T>
[[nodiscard]] std::vector<std::string> KeysOf(Fields<T> fields) {
  std::vector<std::string> keys;
  for (const Field<T>& field : fields) keys.emplace_back(field.key);
  return keys;
}

// Refuses the first key that is not in `known`, with the nearest that is.
[[nodiscard]] Result<void> RefuseUnknown(const ::toml::table& table, const Place& place,
                                         const std::vector<std::string>& known);
// " (did you mean 'x'?)", or the list of what there is.
[[nodiscard]] std::string Suggest(std::string_view word, const std::vector<std::string>& known);

// `at` is what the file holds in place of `table`, where that was made by the caller.
template <typename T>
[[nodiscard]] Result<void> ReadFields(const ::toml::table& table, const Place& place,
                                      std::type_identity_t<Fields<T>> fields, T& into,
                                      const ::toml::node* at = nullptr) {
  if (auto known = RefuseUnknown(table, place, KeysOf<T>(fields)); !known) return known;
  for (const Field<T>& field : fields) {
    const ::toml::node* node = table.get(field.key);
    if (node == nullptr && field.required) {
      return FailAt(place, at == nullptr ? table : *at,
                    "the key '" + std::string(field.key) + "' is missing");
    }
    if (node == nullptr || field.read == nullptr) continue;
    if (auto read = field.read(TomlValue(*node, place, field.key), into); !read) return read;
  }
  return {};
}

template <std::integral T>
Result<void> TomlValue::To(T& out) const {
  const auto integer = Integer();
  if (!integer) return std::unexpected(integer.error());
  if (std::is_unsigned_v<T> && *integer < 0) return Refuse("0 or more");
  if (!std::in_range<T>(*integer)) {
    return Refuse("at most " + std::to_string(std::numeric_limits<T>::max()) + " in size");
  }
  out = static_cast<T>(*integer);
  return {};
}

template <typename T>
Result<void> TomlValue::ToOneOf(std::type_identity_t<Words<T>> words, T& out) const {
  std::vector<std::string> known;
  for (const auto& word : words) known.emplace_back(word.first);
  const auto index = IndexOf(known);
  if (!index) return std::unexpected(index.error());
  out = words[*index].second;
  return {};
}

}  // namespace sluice::toml
