#include "sim/suite_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sluice/evaluation/suite_line.h"

namespace sluice::app {
namespace {

std::string Cause() {
  return std::strerror(errno);
}

}  // namespace

Result<std::vector<evaluation::ScenarioScores>> SuiteLog::Read(
    const evaluation::SuiteOptions& options) const {
  std::vector<evaluation::ScenarioScores> known;
  if (file_.empty() || !std::filesystem::exists(file_)) return known;
  std::ifstream in(file_, std::ios::binary);
  std::ostringstream all;
  if (!in || !(in.peek() == EOF || all << in.rdbuf())) return Fail(fmt::format("{}: {}", file_, Cause()));
  const std::string text = all.str();
  std::size_t from = 0;
  for (int number = 1;; ++number) {
    const std::size_t to = text.find('\n', from);
    if (to == std::string::npos) break;
    auto scores =
        evaluation::ReadSuiteLine(std::string_view(text).substr(from, to - from), options, made_by_);
    if (!scores)
      return Fail(fmt::format("{}:{}: {}; name another file, or remove this one", file_, number,
                              scores.error().message));
    if (!scores->controllers.empty()) known.push_back(std::move(*scores));
    from = to + 1;
  }
  std::error_code error;
  if (from < text.size()) std::filesystem::resize_file(file_, from, error);
  if (error) return Fail(fmt::format("{}: {}", file_, error.message()));
  return known;
}

void SuiteLog::Append(const evaluation::ScenarioScores& scores) {
  if (file_.empty() || !written_) return;
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  out << evaluation::SuiteLine(scores, made_by_) + "\n" << std::flush;
  if (!out) written_ = Fail(fmt::format("{}: {}", file_, Cause()));
}

}  // namespace sluice::app
