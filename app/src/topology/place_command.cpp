#include "topology/place_command.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/text.h"
#include "sluice/probes/binding.h"
#include "sluice/probes/numa_counts.h"
#include "sluice/probes/process_binding.h"
#include "sluice/probes/process_places.h"
#include "sluice/probes/topology.h"

namespace sluice::app {
namespace {

constexpr std::string_view kCpus = "cpus:";

std::string NodesOn(const Topology& topology) {
  CpuSet nodes;
  for (const std::size_t home : HomeNodes(topology)) nodes.Add(topology.nodes[home].number);
  return CpuListText(nodes);
}

Result<Where> NamedCpus(const Topology& topology, std::string_view list) {
  const auto cpus = ParseCpuList(list);
  if (!cpus || cpus->empty())
    return Fail(fmt::format("'{}': write CPUs as the kernel does, such as 0-7", list));
  if (!cpus->Within(topology.allowed)) {
    return Fail(fmt::format("CPUs {} cannot be used here; those that can are {}",
                            CpuListText(*cpus - topology.allowed), CpuListText(topology.allowed)));
  }
  return Where{.cpus = *cpus, .words = "CPUs " + CpuListText(*cpus)};
}

struct Moved {
  int threads = 0, bound = 0, processes = 0;
  std::uint64_t left = 0;  // pages that could not be moved
  std::vector<std::string> refusals;
};

void Note(Moved& moved, std::string refusal) {
  if (!refusal.empty() && std::ranges::count(moved.refusals, refusal) == 0)
    moved.refusals.push_back(std::move(refusal));
}

Moved Bind(const std::vector<ProcessPlace>& family, const Where& where) {
  Moved moved;
  for (const ProcessPlace& process : family) {
    const probes::ProcessBinding made = probes::BindProcess(process.pid, where.cpus);
    if (made.threads == 0) continue;
    ++moved.processes;
    moved.threads += made.threads;
    moved.bound += made.bound;
    Note(moved, made.refusal);
  }
  return moved;
}

// To the first of the nodes: a page has one home.
void MovePages(const std::vector<ProcessPlace>& family, const Topology& topology, const Where& where,
               Moved& moved) {
  Placement others;
  for (const NumaNode& node : topology.nodes) {
    if (node.number < Placement::kNodes) others.nodes |= OnNode(node.number).nodes;
  }
  others.nodes &= ~where.nodes.nodes;
  for (const ProcessPlace& process : family) {
    const auto left = probes::MovePages(process.pid, others, NodesOf(where.nodes).front());
    if (left) moved.left += *left;
    if (!left) Note(moved, left.error().message);
  }
}

struct MemoryShare {
  Bytes there{0}, all{0};
};

MemoryShare MemoryOn(const std::vector<ProcessPlace>& family, const Placement& nodes) {
  MemoryShare share;
  for (const ProcessPlace& process : family) {
    for (const auto& [node, bytes] : probes::ReadNumaMaps(process.pid).value_or(std::map<int, Bytes>())) {
      share.all += bytes;
      if (node < Placement::kNodes && (nodes.nodes >> node & 1) != 0) share.there += bytes;
    }
  }
  return share;
}

std::string MemoryLine(const MemoryShare& share) {
  if (share.all.count == 0) return "its memory by node: the kernel does not say (/proc/PID/numa_maps)\n";
  return fmt::format("{:.1f} % of its memory is there ({} of {}, pages of files included)\n",
                     100 * static_cast<double>(share.there.count) / static_cast<double>(share.all.count),
                     FormatBytes(share.there), FormatBytes(share.all));
}

}  // namespace

Result<Where> WhereOn(const Topology& topology, const std::string& text, bool ours) {
  if (text.starts_with(kCpus)) return NamedCpus(topology, std::string_view(text).substr(kCpus.size()));
  const auto placement = ParsePlacement(text);
  if (!placement) return std::unexpected(placement.error());
  if (placement->nodes == 0) return Where{.cpus = topology.allowed, .words = "any CPU that is allowed"};
  if (!ours && placement->memory != MemoryPolicy::kPreferred) {
    return Fail(
        fmt::format("'{}': the memory policy of a process that runs cannot be changed from outside; "
                    "sluice wrap --place gives one to what it starts",
                    text));
  }
  Where where{.nodes = *placement};
  for (const int number : NodesOf(*placement)) {
    const auto node = std::ranges::find(topology.nodes, number, &NumaNode::number);
    if (node == topology.nodes.end() || node->cpus.empty())
      return Fail(
          fmt::format("there are no CPUs near a node {}; nodes with CPUs: {}", number, NodesOn(topology)));
    where.cpus = where.cpus | (node->cpus & topology.allowed);
  }
  if (where.cpus.empty())
    return Fail(fmt::format("no CPU of {} can be used here; those that can are {}", PlacementText(*placement),
                            CpuListText(topology.allowed)));
  where.words = fmt::format("{} (CPUs {})", PlacementText(*placement), CpuListText(where.cpus));
  return where;
}

int PlaceProcess(const PlaceOptions& options) {
  const auto topology = probes::ReadTopology();
  if (!topology) return Complain(topology.error(), kExitFailed);
  if (!topology->this_machine)
    return Complain(
        Error{"HWLOC_SYNTHETIC or HWLOC_XMLFILE puts another machine in this one's place: nothing can "
              "be bound to it"},
        kExitUsage);
  const auto where = WhereOn(*topology, options.where, false);
  if (!where) return Complain(where.error(), kExitUsage);
  if (options.move_pages && where->nodes.nodes == 0)
    return Complain(Error{"--move-pages: name a node that they are to move to"}, kExitUsage);
  const std::vector<ProcessPlace> family = probes::ReadFamilyPlaces(options.pid);
  if (family.empty()) return Complain(Error{fmt::format("there is no process {}", options.pid)}, kExitUsage);

  Moved moved = Bind(family, *where);
  std::string text = fmt::format(
      "{} of {} threads of {} run on {}\n", moved.bound, moved.threads,
      moved.processes == 1 ? "one process" : fmt::format("{} processes", moved.processes), where->words);
  if (where->nodes.nodes != 0) {
    if (options.move_pages) MovePages(family, *topology, *where, moved);
    if (moved.left > 0) text += fmt::format("{} pages could not be moved\n", moved.left);
    text += MemoryLine(MemoryOn(family, where->nodes));
  }
  for (const std::string& refusal : moved.refusals) text += "refused: " + refusal + "\n";
  const int printed = PrintOut(text);
  if (printed != kExitDone) return printed;
  return moved.refusals.empty() && moved.bound == moved.threads ? kExitDone : kExitFailed;
}

}  // namespace sluice::app
