#include "sluice/exporters/mindspore_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "json/json_values.h"
#include "sluice/base/check.h"

namespace sluice::exporters {
namespace {

constexpr const char* kRemark = "Written by Sluice in the shape of MindSpore's Dataset AutoTune.";

// "random_crop" or "map": "RandomCrop", "Map".
std::string CamelCase(const std::string& name) {
  std::string camel;
  bool upper = true;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') {
      upper = true;
    } else {
      camel += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return camel;
}

std::int64_t Workers(const Snapshot& now, std::size_t op) {
  const KnobId id{KnobKind::kWorkers, static_cast<std::uint32_t>(op)};
  const auto knob = std::ranges::find(now.knobs, id, &Knob::id);
  if (knob != now.knobs.end()) return knob->value;
  return op < now.ops.size() ? std::max(now.ops[op].workers, 1) : 1;
}

// Of the connector behind the op.
std::optional<std::uint64_t> QueueSize(const Snapshot& now, std::size_t op) {
  const auto& connectors = now.graph->connectors;
  const auto behind =
      std::ranges::find_if(connectors, [&](const ConnectorInfo& c) { return Index(c.from) == op; });
  const auto index = static_cast<std::size_t>(behind - connectors.begin());
  if (index >= now.connectors.size()) return std::nullopt;
  return now.connectors[index].capacity;
}

std::string SummaryLine(const Snapshot& now, std::size_t op) {
  const std::string name =
      fmt::format("{}Op(ID:{})", CamelCase(now.graph->ops[op].kind), now.graph->ops.size() - 1 - op);
  const auto size = QueueSize(now, op);
  return fmt::format("{:<20}(num_parallel_workers: {}, prefetch_size:{})", name, Workers(now, op),
                     size ? std::to_string(*size) : "NA");
}

// An op that several others take from is told below the first of them only.
Json Tree(const Snapshot& now, std::size_t op, std::vector<bool>& told) {
  told[op] = true;
  Json children = Json::array();
  for (const ConnectorInfo& connector : now.graph->connectors) {
    const std::size_t from = Index(connector.from);
    if (connector.to && Index(*connector.to) == op && !told[from]) children.push_back(Tree(now, from, told));
  }
  return {{"children", children},
          {"op_type", CamelCase(now.graph->ops[op].kind)},
          {"name", now.graph->ops[op].name},
          {"num_parallel_workers", Workers(now, op)},
          {"connector_queue_size", OrNull(QueueSize(now, op))}};
}

}  // namespace

std::string MindSporeSettingsJson(const Snapshot& now) {
  SLUICE_CHECK(now.graph != nullptr);
  Json summary = Json::array();
  for (std::size_t op = 0; op < now.graph->ops.size(); ++op) summary.push_back(SummaryLine(now, op));
  std::vector<bool> told(now.graph->ops.size(), false);
  const Json tree = told.empty() ? Json(nullptr) : Tree(now, told.size() - 1, told);
  return DocumentText({{"remark", kRemark}, {"summary", summary}, {"tree", tree}});
}

}  // namespace sluice::exporters
