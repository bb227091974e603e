// A decision record of any bytes, as another process may leave it in a segment's ring, is read or refused.
// What is read can be shown on a terminal, fits into a ring again, and is the same when it has been written
// and read again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "input.h"
#include "sluice/base/check.h"
#include "sluice/exporters/decision_log.h"

namespace {

using namespace sluice;  // NOLINT

bool IsPlain(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 0x7f; });
}

void CheckEntry(const exporters::LoggedDecision& entry) {
  const Decision& decision = entry.decision;
  SLUICE_CHECK(decision.id > 0 && decision.at >= MonoTime{0});
  SLUICE_CHECK(std::isfinite(decision.before.per_second) && std::isfinite(decision.predicted.per_second));
  SLUICE_CHECK(!entry.measured || std::isfinite(entry.measured->per_second));
  SLUICE_CHECK(exporters::FateName(entry.fate) != "unknown");
  exporters::TextStyle ascii;
  ascii.unicode = false;
  SLUICE_CHECK(IsPlain(exporters::DecisionLine(entry, MonoTime{0}, {}, ascii)));
}

// Rates are written with four digits, reasons and lists of changes are cut: what has been written once stays.
void CheckRoundTrip(const exporters::LoggedDecision& entry) {
  const std::string written = exporters::DecisionJson(entry);
  SLUICE_CHECK(written.size() <= exporters::kDecisionJsonBytes || entry.decision.changes.size() <= 1);
  const auto read = exporters::ParseDecisionJson(written);
  SLUICE_CHECK(read.has_value());
  SLUICE_CHECK(read->decision.id == entry.decision.id && read->decision.at == entry.decision.at);
  SLUICE_CHECK(read->decision.author == entry.decision.author && read->fate == entry.fate);
  SLUICE_CHECK(read->measured.has_value() == entry.measured.has_value());
  for (std::size_t i = 0; i < read->decision.changes.size(); ++i)
    SLUICE_CHECK(read->decision.changes[i] == entry.decision.changes[i]);
  SLUICE_CHECK(exporters::DecisionJson(*read) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entry = exporters::ParseDecisionJson(fuzz::Text(data, size));
  if (!entry) {
    SLUICE_CHECK(entry.error().message.starts_with("decision record: "));
    return 0;
  }
  CheckEntry(*entry);
  CheckRoundTrip(*entry);
  exporters::DecisionLog log;
  log.Put(*entry);
  log.Put(*entry);
  SLUICE_CHECK(log.entries().size() == 1);
  return 0;
}
