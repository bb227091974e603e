// What a user writes on a command line or a launcher into the environment, of any bytes: durations, amounts
// of bytes, ranks, switches, addresses; and the names of segments. Values are within bounds, refusals give a
// reason, and what we write ourselves is read back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "input.h"
#include "machine/rank_identity.h"
#include "segment/segment_folder.h"
#include "segment/utf8.h"
#include "sluice/base/check.h"
#include "sluice/base/text.h"
#include "sluice/wrap/environment.h"
#include "sluice/wrap/rank_environment.h"
#include "web/metrics_address.h"

namespace {

using namespace sluice;  // NOLINT

template <typename T>
void CheckQuantity(const Result<T>& value, T least) {
  if (value) SLUICE_CHECK(*value >= least);
  if (!value) SLUICE_CHECK(!value.error().message.empty());
}

void CheckNumbers(std::string_view text) {
  const auto time = ParseDuration(text);
  const auto bytes = ParseBytes(text);
  CheckQuantity(time, Nanos(0));
  CheckQuantity(bytes, Bytes{0});
  if (time) SLUICE_CHECK(ParseDuration(FormatDuration(*time)).has_value());
  if (bytes) SLUICE_CHECK(!FormatBytes(*bytes).empty());
}

void CheckNames(std::string_view text) {
  if (const auto name = probes::ParseSegmentName(text)) {
    SLUICE_CHECK(name->pid > 0);
    const auto again = probes::ParseSegmentName(probes::FormatSegmentName(*name));
    SLUICE_CHECK(again && again->pid == name->pid && again->start_ticks == name->start_ticks);
  }
  if (const auto address = exporters::ParseMetricsAddress(std::string(text))) {
    const auto again = exporters::ParseMetricsAddress(address->host + ":" + std::to_string(address->port));
    SLUICE_CHECK(again && again->ip.s_addr == address->ip.s_addr && again->port == address->port);
    SLUICE_CHECK(exporters::IsLoopback(*again) == exporters::IsLoopback(*address));
  }
  const std::vector<std::string> words{"decode", "batch", std::string(text.substr(0, 20))};
  SLUICE_CHECK(text.size() > 40 || !Nearest(text.substr(0, 20), words).empty() || text.empty());
}

void CheckText(std::string_view text) {
  const std::string shown = probes::PrintableUtf8(text);
  SLUICE_CHECK(probes::PrintableUtf8(shown) == shown);
  SLUICE_CHECK(std::ranges::none_of(shown, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }));
  char field[16];
  probes::PutText(field, text);
  SLUICE_CHECK(field[sizeof(field) - 1] == '\0');
}

// One line for each variable, in the order in which it is asked for.
void CheckEnvironment(fuzz::Input input) {
  std::vector<std::string> values;
  while (!input.empty() && values.size() < 32) values.emplace_back(input.Until('\n').substr(0, 64));
  std::size_t asked = 0;
  const wrap::Lookup variable = [&](const char*) -> const char* {
    return values.empty() ? nullptr : values[asked++ % values.size()].c_str();
  };
  for (const auto& statement : wrap::ReadRankEnvironment(variable))
    SLUICE_CHECK(statement ? !statement->said.empty() : !statement.error().message.empty());
  const probes::RankIdentity identity = probes::FindRankIdentity(variable);
  SLUICE_CHECK(std::min({identity.rank, identity.world_size, identity.local_rank}) >= -1);
  static_cast<void>(wrap::IsDisabled(variable));
  SLUICE_CHECK(!wrap::IsWrapped(variable, "/nowhere"));
  const auto changes = wrap::PlanEnvironment(variable, {.inject = "/inject", .run_id = "r", .mark = "1-2"});
  SLUICE_CHECK(changes.size() <= 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  CheckNumbers(text);
  CheckNames(text);
  CheckText(text);
  CheckEnvironment({data, size});
  return 0;
}
