#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "sluice/base/text.h"
#include "sluice/exporters/topology_report.h"
#include "text/figures.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

std::string Counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string CpusText(const CpuSet& cpus) {
  return fmt::format("CPU{} {}", cpus.Count() == 1 ? "" : "s", CpuListText(cpus));
}

class Drawing {
 public:
  Drawing(const TopologyReport& report, const TextStyle& style)
      : topology_(report.topology),
        families_(report.families),
        findings_(report.findings),
        style_(style),
        homes_(HomeNodes(topology_)) {
    for (const PlacedFamily& family : families_) {
      for (const ProcessPlace& process : family.processes) {
        for (const ThreadPlace& thread : process.threads) ++ran_on_[thread.last_cpu];
      }
    }
  }

  std::vector<std::string> Lines() {
    Say({{topology_.origin, Tone::kTitle}, {": " + Summary()}});
    if (!topology_.this_machine)
      Say({{"Not this machine: nothing can be bound to it from here.", Tone::kDim}});
    for (const Package& package : topology_.packages) DrawPackage(package);
    DrawFarFromAll();
    DrawKinds();
    DrawAllowed();
    DrawDistances();
    for (const PlacedFamily& family : families_) DrawFamily(family);
    DrawFindings();
    return std::move(lines_);
  }

 private:
  void Say(const StyledLine& line) { lines_.push_back(Paint(line, style_)); }

  [[nodiscard]] std::string Summary() const {
    Bytes memory{0};
    for (const NumaNode& node : topology_.nodes) memory = Sum(memory, node.memory);
    return fmt::format("{}, {}, {}, {}, {}", Counted(topology_.packages.size(), "package"),
                       Counted(topology_.nodes.size(), "NUMA node"), Counted(topology_.cores.size(), "core"),
                       Counted(static_cast<std::size_t>(topology_.cpus.Count()), "CPU"), FormatBytes(memory));
  }

  [[nodiscard]] bool HasPackage(const NumaNode& node) const {
    return std::ranges::any_of(topology_.packages, [&](const Package& package) {
      return !node.cpus.empty() && node.cpus.Within(package.cpus);
    });
  }

  void DrawPackage(const Package& package) {
    Say({});
    Say({{fmt::format("package {}", package.number), Tone::kStrong}, {"  " + CpusText(package.cpus)}});
    DrawNodes([&](const NumaNode& node) { return HasPackage(node) && node.cpus.Within(package.cpus); }, "  ");
  }

  // Memory and devices that are near the whole machine, or near no CPU.
  void DrawFarFromAll() {
    const bool memory =
        !std::ranges::all_of(topology_.nodes, [&](const NumaNode& node) { return HasPackage(node); });
    const bool devices =
        std::ranges::any_of(topology_.devices, [](const Device& device) { return !device.node; });
    if (memory || devices) Say({});
    DrawNodes([&](const NumaNode& node) { return !HasPackage(node); }, "");
    DrawDevices(std::nullopt, "");
  }

  template <typename Drawn>
  void DrawNodes(Drawn drawn, const std::string& indent) {
    for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
      if (drawn(topology_.nodes[i])) DrawNode(i, indent);
    }
  }

  void DrawNode(std::size_t index, const std::string& indent) {
    const NumaNode& node = topology_.nodes[index];
    const bool home = std::ranges::count(homes_, index) != 0;
    std::string text = fmt::format("  {} {}", FormatBytes(node.memory), TierName(node.tier));
    if (home) {
      text += ", " + CoresOf(node) + ", " + CpusText(node.cpus) + CachesOf(node);
    } else {
      text += node.cpus.empty() ? ", near no CPU" : ", memory near " + CpusText(node.cpus);
    }
    Say({{fmt::format("{}node {}", indent, node.number), Tone::kStrong}, {text}});
    if (home) Say({{indent + "  cores  "}, {StripOf(node)}});
    DrawDevices(index, indent + "  ");
  }

  [[nodiscard]] std::string CoresOf(const NumaNode& node) const {
    std::size_t cores = 0;
    int fewest = CpuSet::kMost, most = 0;
    for (const Core& core : topology_.cores) {
      if (!core.cpus.Within(node.cpus)) continue;
      ++cores;
      fewest = std::min(fewest, core.cpus.Count());
      most = std::max(most, core.cpus.Count());
    }
    if (most <= 1) return Counted(cores, "core");
    return Counted(cores, "core") + (fewest == most ? fmt::format(" x {} threads", most)
                                                    : fmt::format(" of {} to {} threads", fewest, most));
  }

  [[nodiscard]] std::string CachesOf(const NumaNode& node) const {
    std::map<int, std::pair<int, Bytes>, std::greater<>> levels;
    for (const Cache& cache : topology_.caches) {
      if (!cache.cpus.Within(node.cpus) || cache.size.count == 0) continue;
      ++levels[cache.level].first;
      levels[cache.level].second = cache.size;
    }
    std::string text;
    for (const auto& [level, count_and_size] : levels) {
      if (level > 1)
        text += fmt::format(", L{} {} x {}", level, count_and_size.first, FormatBytes(count_and_size.second));
    }
    return text;
  }

  // A sign for each core, with a gap where the next ones share another cache: how many threads ran there
  // last.
  [[nodiscard]] std::string StripOf(const NumaNode& node) const {
    std::string strip;
    std::optional<CpuSet> shared;
    for (const Core& core : topology_.cores) {
      if (!core.cpus.Within(node.cpus)) continue;
      const CpuSet cache = SharedBy(core);
      if (shared && *shared != cache) strip += ' ';
      shared = cache;
      strip += SignOf(core);
    }
    return strip;
  }

  [[nodiscard]] CpuSet SharedBy(const Core& core) const {
    const auto cache = std::ranges::find_if(
        topology_.caches, [&](const Cache& each) { return each.level >= 3 && core.cpus.Within(each.cpus); });
    return cache == topology_.caches.end() ? CpuSet() : cache->cpus;
  }

  [[nodiscard]] std::string SignOf(const Core& core) const {
    if (!core.cpus.Meets(topology_.allowed)) return "x";
    int threads = 0;
    for (const int cpu : core.cpus.Cpus()) {
      const auto found = ran_on_.find(cpu);
      if (found != ran_on_.end()) threads += found->second;
    }
    if (threads == 0) return style_.unicode ? "·" : ".";
    return threads > 9 ? "+" : std::to_string(threads);
  }

  // `node` nullopt: of those that are near none.
  void DrawDevices(std::optional<std::size_t> node, const std::string& indent) {
    for (const Device& device : topology_.devices) {
      if (device.node != node) continue;
      Say({{fmt::format("{}{:<8} {}  {}", indent, DeviceKindName(device.kind), device.bus_id, device.names)},
           {(device.names.empty() ? "" : "  ") + device.model, Tone::kDim},
           {node ? "" : "  near no node", Tone::kDim}});
    }
  }

  void DrawKinds() {
    if (topology_.core_kinds.size() < 2) return;
    Say({});
    for (const CoreKind& kind : topology_.core_kinds)
      Say({{fmt::format("cores {}  {}", kind.name.empty() ? "of a kind" : kind.name, CpusText(kind.cpus))}});
  }

  void DrawAllowed() {
    const CpuSet others = topology_.cpus - topology_.allowed;
    if (others.empty()) return;
    Say({});
    Say({{"Not allowed here (control group, or offline): " + CpusText(others), Tone::kWarn}});
  }

  void DrawDistances() {
    if (topology_.distances.size() < 2) return;
    Say({});
    std::string header = "distances";
    for (const NumaNode& node : topology_.nodes) header += fmt::format(" {:>4}", node.number);
    Say({{header, Tone::kTitle}});
    for (std::size_t i = 0; i < topology_.distances.size(); ++i) {
      std::string row = fmt::format("  {:<7}", fmt::format("node {}", topology_.nodes[i].number));
      for (const double distance : topology_.distances[i]) row += fmt::format(" {:>4.0f}", distance);
      Say({{row}});
    }
  }

  [[nodiscard]] std::string NodesText(const CpuSet& cpus) const {
    std::string text;
    for (const std::size_t home : homes_) {
      if (topology_.nodes[home].cpus.Meets(cpus))
        text += fmt::format("{}{}", text.empty() ? "" : ",", topology_.nodes[home].number);
    }
    return text.empty() ? kMissing : text;
  }

  [[nodiscard]] std::string MayUse(const CpuSet& cpus) const {
    return topology_.allowed.Within(cpus) ? "all" : CpuListText(cpus);
  }

  // Threads of one process with the same name and mask are one row.
  void DrawFamily(const PlacedFamily& family) {
    if (family.processes.empty()) return;
    const ProcessPlace& first = family.processes.front();
    Say({});
    Say({{family.title.empty() ? first.name : family.title, Tone::kTitle}});
    Table table({{"pid"},
                 {"thread", Align::kLeft, 0, true},
                 {"threads"},
                 {"may use CPUs", Align::kLeft, 0, true},
                 {"ran last on", Align::kLeft, 1, true},
                 {"node", Align::kLeft}});
    for (const ProcessPlace& process : family.processes) AddRows(table, process);
    for (const StyledLine& line : table.Lines(style_)) Say(line);
  }

  void DrawFindings() {
    for (const PlaceFinding& finding : findings_) {
      Say({});
      for (const std::string& line : Wrap(finding.sentence, style_.width, style_)) Say({{line, Tone::kWarn}});
      for (const std::string& line : Wrap(finding.remedy, style_.width - 3, style_)) Say({{"   " + line}});
    }
  }

  void AddRows(Table& table, const ProcessPlace& process) const {
    std::vector<std::tuple<std::string, CpuSet, int, CpuSet>> rows;  // name, mask, threads, CPUs
    for (const ThreadPlace& thread : process.threads) {
      auto row = std::ranges::find_if(rows, [&](const auto& each) {
        return std::get<0>(each) == thread.name && std::get<1>(each) == thread.may_use;
      });
      if (row == rows.end()) row = rows.insert(row, {thread.name, thread.may_use, 0, CpuSet()});
      ++std::get<2>(*row);
      if (thread.last_cpu >= 0) std::get<3>(*row).Add(thread.last_cpu);
    }
    for (const auto& [name, mask, threads, ran_on] : rows) {
      table.Add({{std::to_string(process.pid)},
                 {name},
                 {std::to_string(threads)},
                 {MayUse(mask)},
                 {ran_on.empty() ? kMissing : CpuListText(ran_on)},
                 {NodesText(ran_on)}});
    }
  }

  const Topology& topology_;
  const std::vector<PlacedFamily>& families_;
  const std::vector<PlaceFinding>& findings_;
  const TextStyle& style_;
  const std::vector<std::size_t> homes_;
  std::map<int, int> ran_on_;  // threads, by CPU
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> TopologyText(const TopologyReport& report, const TextStyle& style) {
  return Drawing(report, style).Lines();
}

}  // namespace sluice::exporters
