#include "sluice/toml/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>

namespace sluice::toml {
namespace {

// Each dot may open a table inside a table, and the parser goes as deep as they do: more than this is an
// attack on the stack, not a pipeline.
constexpr std::ptrdiff_t kMostDots = 8192;
constexpr std::size_t kLongestFile = 256 * 1024;

Result<void> RefuseAttack(std::string_view text, std::string_view file) {
  if (text.size() > kLongestFile) {
    return Fail(fmt::format("{}: is longer than {} bytes, too long for a scenario", file, kLongestFile));
  }
  if (std::ranges::count(text, '.') > kMostDots) {
    return Fail(fmt::format("{}: has more than {} dots, too many for a scenario", file, kMostDots));
  }
  return {};
}

}  // namespace

Result<::toml::table> ParseToml(std::string_view text, std::string_view file) {
  if (auto refused = RefuseAttack(text, file); !refused) return std::unexpected(refused.error());
  try {
    return ::toml::parse(text, file);
  } catch (const ::toml::parse_error& e) {
    const ::toml::source_position at = e.source().begin;
    return Fail(fmt::format("{}:{}: column {}: {}", file, at.line, at.column, e.description()));
  } catch (const std::exception& e) {
    return Fail(fmt::format("{}: cannot be read as TOML: {}", file, e.what()));
  }
}

Result<std::string> ReadTomlFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string text(kLongestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Fail(fmt::format("{}: cannot be read (is it a folder?)", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace sluice::toml
