#include "cli/checks.h"

#include <charconv>
#include <string>

namespace sluice::app {
namespace {

template <typename Number>
bool IsNumber(const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

}  // namespace

// CLI11's own check says nothing of what is possible, and takes -1 for a large number.
CLI::Validator Whole(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            if (IsNumber(text, least, most)) return std::string();
            std::string range = "from " + std::to_string(least);
            if (most != UINT64_MAX) range += " to " + std::to_string(most);
            return "'" + text + "' is not a whole number " + range;
          },
          ""};
}

CLI::Validator CoreCount() {
  return {[](std::string& text) {
            if (IsNumber(text, 0.1, 4096.0)) return std::string();
            return "'" + text + "' is not a number of cores from 0.1 to 4096";
          },
          ""};
}

}  // namespace sluice::app
