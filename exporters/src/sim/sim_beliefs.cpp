#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include "sluice/exporters/sim_report.h"

namespace sluice::exporters {
namespace {

// Names are the user's: they may hold what CSV is made of.
std::string Cell(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string BeliefsCsv(const SimBeliefs& beliefs) {
  std::string csv = "seconds,decision";
  for (const std::string& column : beliefs.columns) csv += "," + Cell(column);
  csv += "\n";
  for (const SimBeliefs::Row& row : beliefs.rows) {
    fmt::format_to(std::back_inserter(csv), "{:.1f},{}", Seconds(row.at), row.decision);
    for (const double value : row.values) {
      csv += ",";
      if (!std::isnan(value)) fmt::format_to(std::back_inserter(csv), "{:.6g}", value);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace sluice::exporters
