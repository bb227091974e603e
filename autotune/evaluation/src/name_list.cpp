#include "name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::evaluation {
namespace {

std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

}  // namespace

std::unexpected<Error> UnknownName(std::string_view name, std::string_view what,
                                   const std::vector<std::string>& all) {
  const std::string near = Nearest(name, all);
  if (!near.empty()) return Fail(fmt::format("there is no {} '{}'; did you mean '{}'?", what, name, near));
  return Fail(fmt::format("there is no {} '{}'; there are {}", what, name, fmt::join(all, ", ")));
}

Result<std::vector<std::string>> NamesIn(std::string_view list, std::string_view what,
                                         const std::vector<std::string>& all) {
  const auto wanted = Split(list);
  for (const std::string_view name : wanted) {
    if (std::ranges::find(all, name) == all.end()) return UnknownName(name, what, all);
  }
  std::vector<std::string> names;
  for (const std::string& name : all) {
    if (std::ranges::find(wanted, name) != wanted.end()) names.push_back(name);
  }
  return names;
}

}  // namespace sluice::evaluation
