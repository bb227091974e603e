#include <algorithm>

#include "json/json_values.h"
#include "sluice/exporters/topology_report.h"

namespace sluice::exporters {
namespace {

template <typename Values, typename Form>
Json Each(const Values& values, Form form) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(form(value));
  return list;
}

Json CpusJson(const CpuSet& cpus) {
  return cpus.empty() ? Json("") : Json(CpuListText(cpus));
}

Json BytesJson(Bytes bytes) {
  return bytes.count == 0 ? Json(nullptr) : Json(bytes.count);
}

Json NumberOf(const Topology& topology, std::optional<std::size_t> node) {
  return node ? Json(topology.nodes[*node].number) : Json(nullptr);
}

Json NodesJson(const Topology& topology) {
  const std::vector<std::size_t> homes = HomeNodes(topology);
  Json list = Json::array();
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const NumaNode& node = topology.nodes[i];
    list.push_back({{"number", node.number},
                    {"tier", TierName(node.tier)},
                    {"memory_bytes", BytesJson(node.memory)},
                    {"cpus", CpusJson(node.cpus)},
                    {"home", std::ranges::count(homes, i) != 0}});
  }
  return list;
}

std::string_view KindName(PlaceFinding::Kind kind) {
  switch (kind) {
    case PlaceFinding::Kind::kNarrowStart:
      return "narrow_start";
    case PlaceFinding::Kind::kPinning:
      return "pinning";
    case PlaceFinding::Kind::kCrowded:
      return "crowded";
    case PlaceFinding::Kind::kOneNode:
      return "one_node";
    case PlaceFinding::Kind::kDoubledCores:
      return "doubled_cores";
  }
  return "unknown";
}

Json ThreadJson(const Topology& topology, const ThreadPlace& thread) {
  return {{"tid", thread.tid},
          {"name", thread.name},
          {"may_use", CpusJson(thread.may_use)},
          {"last_cpu", thread.last_cpu < 0 ? Json(nullptr) : Json(thread.last_cpu)},
          {"last_node", NumberOf(topology, HomeNodeOf(topology, thread.last_cpu))},
          {"on_cpu_seconds", InSeconds(thread.on_cpu)}};
}

Json ProcessJson(const Topology& topology, const ProcessPlace& process) {
  return {{"pid", process.pid},
          {"parent", process.parent},
          {"name", process.name},
          {"allowed", process.allowed.empty() ? Json(nullptr) : CpusJson(process.allowed)},
          {"pinned_by", process.pinned_by},
          {"threads", Each(process.threads, [&](const auto& each) { return ThreadJson(topology, each); })}};
}

}  // namespace

std::string TopologyJson(const TopologyReport& report) {
  const Topology& topology = report.topology;
  return DocumentText(
      {{"format", "sluice-topology"},
       {"format_version", kTopologyFormatVersion},
       {"origin", topology.origin},
       {"this_machine", topology.this_machine},
       {"cpus", CpusJson(topology.cpus)},
       {"allowed", CpusJson(topology.allowed)},
       {"packages", Each(topology.packages,
                         [](const Package& package) {
                           return Json{{"number", package.number}, {"cpus", CpusJson(package.cpus)}};
                         })},
       {"nodes", NodesJson(topology)},
       {"distances", topology.distances.empty() ? Json(nullptr) : Json(topology.distances)},
       {"cores",
        Each(topology.cores,
             [](const Core& core) { return Json{{"number", core.number}, {"cpus", CpusJson(core.cpus)}}; })},
       {"core_kinds", Each(topology.core_kinds,
                           [](const CoreKind& kind) {
                             return Json{{"name", TextOrNull(kind.name)}, {"cpus", CpusJson(kind.cpus)}};
                           })},
       {"caches", Each(topology.caches,
                       [](const Cache& cache) {
                         return Json{{"level", cache.level},
                                     {"size_bytes", BytesJson(cache.size)},
                                     {"cpus", CpusJson(cache.cpus)}};
                       })},
       {"devices", Each(topology.devices,
                        [&](const Device& device) {
                          return Json{{"kind", DeviceKindName(device.kind)},
                                      {"bus_id", device.bus_id},
                                      {"names", TextOrNull(device.names)},
                                      {"model", TextOrNull(device.model)},
                                      {"node", NumberOf(topology, device.node)}};
                        })},
       {"families", Each(report.families,
                         [&](const PlacedFamily& family) {
                           return Json{{"title", TextOrNull(family.title)},
                                       {"processes", Each(family.processes, [&](const auto& each) {
                                          return ProcessJson(topology, each);
                                        })}};
                         })},
       {"findings", Each(report.findings, [](const PlaceFinding& finding) {
          return Json{
              {"kind", KindName(finding.kind)}, {"sentence", finding.sentence}, {"remedy", finding.remedy}};
        })}});
}

}  // namespace sluice::exporters
