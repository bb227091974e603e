#include "sluice/probes/topology.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

namespace sluice::probes {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

// They load drivers of GPUs, or ask an X server; what lies on which bus the kernel knows without them.
constexpr const char* kNotAsked[] = {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"};

Result<Handle> Begin() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Fail("hwloc cannot be started");
  Handle handle(raw);
  for (const char* component : kNotAsked)
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return handle;
}

std::string Text(const char* text) {
  return text != nullptr ? text : "";
}

CpuSet CpusOf(hwloc_const_bitmap_t bitmap) {
  CpuSet cpus;
  if (bitmap == nullptr || hwloc_bitmap_weight(bitmap) < 0) return cpus;  // endless: nobody's
  for (int cpu = hwloc_bitmap_last(bitmap); cpu >= 0; cpu = cpu == 0 ? -1 : cpu - 1) {
    if (cpu < CpuSet::kMost && hwloc_bitmap_isset(bitmap, static_cast<unsigned>(cpu)) != 0) cpus.Add(cpu);
  }
  return cpus;
}

template <typename Visit>
void ForEach(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(topology, type, object))
    visit(object);
}

MemoryTier TierOf(const char* subtype) {
  const std::string_view name = subtype != nullptr ? subtype : "";
  if (name == "HBM" || name == "MCDRAM") return MemoryTier::kHbm;
  if (name.starts_with("CXL")) return MemoryTier::kCxl;
  if (name == "NVM") return MemoryTier::kNvm;
  if (name == "GPUMemory") return MemoryTier::kDevice;
  return MemoryTier::kDram;
}

void AddCores(Topology& to, hwloc_topology_t from) {
  ForEach(from, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t package) {
    to.packages.push_back({static_cast<int>(package->os_index), CpusOf(package->cpuset)});
  });
  ForEach(from, HWLOC_OBJ_CORE, [&](hwloc_obj_t core) {
    to.cores.push_back({static_cast<int>(core->os_index), CpusOf(core->cpuset)});
  });
  for (const auto type : {HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
    ForEach(from, type, [&](hwloc_obj_t cache) {
      to.caches.push_back({static_cast<int>(cache->attr->cache.depth),
                           {static_cast<std::int64_t>(cache->attr->cache.size)},
                           CpusOf(cache->cpuset)});
    });
  }
}

std::string KindName(const hwloc_info_s* infos, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (std::string_view(infos[i].name) == "CoreType") return Text(infos[i].value);
  }
  return "";
}

void AddCoreKinds(Topology& to, hwloc_topology_t from) {
  const int kinds = hwloc_cpukinds_get_nr(from, 0);
  for (int i = 0; i < kinds; ++i) {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> cpus(hwloc_bitmap_alloc(),
                                                                             &hwloc_bitmap_free);
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(from, static_cast<unsigned>(i), cpus.get(), nullptr, &count, &infos, 0) != 0)
      continue;
    to.core_kinds.push_back({KindName(infos, count), CpusOf(cpus.get())});
  }
}

void AddNodes(Topology& to, hwloc_topology_t from) {
  ForEach(from, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t node) {
    to.nodes.push_back({static_cast<int>(node->os_index),
                        TierOf(node->subtype),
                        {static_cast<std::int64_t>(node->attr->numanode.local_memory)},
                        CpusOf(node->cpuset)});
  });
}

// The first matrix of latencies between all nodes: the firmware's.
void AddDistances(Topology& to, hwloc_topology_t from) {
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_type(from, HWLOC_OBJ_NUMANODE, &count, &found,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return;
  if (found->nbobjs == to.nodes.size()) {
    to.distances.assign(to.nodes.size(), std::vector<double>(to.nodes.size()));
    for (unsigned i = 0; i < found->nbobjs; ++i) {
      for (unsigned j = 0; j < found->nbobjs; ++j) {
        to.distances[found->objs[i]->logical_index][found->objs[j]->logical_index] =
            static_cast<double>(found->values[i * found->nbobjs + j]);
      }
    }
  }
  hwloc_distances_release(from, found);
}

// By the class of PCI: 01 storage, 02 network, 03 display, 12 accelerators.
DeviceKind KindOf(unsigned class_id) {
  switch (class_id >> 8) {
    case 0x01:
      return DeviceKind::kStorage;
    case 0x02:
      return DeviceKind::kNetwork;
    case 0x03:
    case 0x12:
      return DeviceKind::kGpu;
    default:
      return DeviceKind::kOther;
  }
}

std::string NamesOf(hwloc_obj_t device) {
  std::string names;
  for (hwloc_obj_t child = device->io_first_child; child != nullptr; child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_OS_DEVICE && child->name != nullptr)
      names += (names.empty() ? "" : ", ") + std::string(child->name);
  }
  return names;
}

std::string ModelOf(hwloc_obj_t device) {
  const std::string vendor = Text(hwloc_obj_get_info_by_name(device, "PCIVendor"));
  const std::string model = Text(hwloc_obj_get_info_by_name(device, "PCIDevice"));
  return vendor + (vendor.empty() || model.empty() ? "" : " ") + model;
}

// Nearest is the home of the CPUs that the device hangs at; all CPUs: none is nearer than others.
std::optional<std::size_t> NearestNode(const Topology& topology, const CpuSet& cpus) {
  const std::vector<std::size_t> homes = HomeNodes(topology);
  if (homes.size() == 1) return homes[0];
  for (const std::size_t home : homes) {
    if (cpus.Within(topology.nodes[home].cpus) && !cpus.empty()) return home;
  }
  // A package of several nodes is nearer than the other package; its first node stands for it.
  if (cpus == topology.cpus) return std::nullopt;
  for (const std::size_t home : homes) {
    if (topology.nodes[home].cpus.Meets(cpus)) return home;
  }
  return std::nullopt;
}

void AddDevices(Topology& to, hwloc_topology_t from) {
  ForEach(from, HWLOC_OBJ_PCI_DEVICE, [&](hwloc_obj_t device) {
    const auto& pci = device->attr->pcidev;
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(from, device);
    to.devices.push_back(
        {KindOf(pci.class_id),
         fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, unsigned{pci.func}),
         NamesOf(device), ModelOf(device),
         NearestNode(to, CpusOf(near != nullptr ? near->cpuset : nullptr))});
  });
}

Result<Topology> Load(const Handle& handle, std::string origin) {
  hwloc_topology_t from = handle.get();
  if (hwloc_topology_load(from) != 0) return Fail(std::strerror(errno));
  Topology topology;
  topology.origin = std::move(origin);
  topology.this_machine = hwloc_topology_is_thissystem(from) != 0;
  topology.cpus = CpusOf(hwloc_topology_get_topology_cpuset(from));
  topology.allowed = CpusOf(hwloc_topology_get_allowed_cpuset(from));
  AddCores(topology, from);
  AddCoreKinds(topology, from);
  AddNodes(topology, from);
  AddDistances(topology, from);
  AddDevices(topology, from);
  return topology;
}

std::unexpected<Error> NoTopology(const std::string& file) {
  return Fail(fmt::format(
      "{}: this is no topology that hwloc {} can read; on the machine that is meant: lstopo machine.xml",
      file, HWLOC_VERSION));
}

}  // namespace

Result<Topology> ReadTopology() {
  const auto handle = Begin();
  if (!handle) return std::unexpected(handle.error());
  auto topology = Load(*handle, "this machine");
  if (!topology) return Fail("the topology of this machine cannot be read: " + topology.error().message);
  if (!topology->this_machine)
    topology->origin = "what hwloc's environment names (HWLOC_XMLFILE, HWLOC_SYNTHETIC)";
  return topology;
}

Result<Topology> ReadTopologyXml(const std::string& file) {
  errno = 0;
  if (std::ifstream stream(file); !stream || stream.peek() == std::ifstream::traits_type::eof())
    return Fail(fmt::format("{}: {}", file, errno != 0 ? std::strerror(errno) : "the file is empty"));
  const auto handle = Begin();
  if (!handle) return std::unexpected(handle.error());
  if (hwloc_topology_set_xml(handle->get(), file.c_str()) != 0) return NoTopology(file);
  const auto topology = Load(*handle, file);
  if (!topology) return NoTopology(file);
  return topology;
}

Result<Topology> MakeTopology(const std::string& text) {
  const auto handle = Begin();
  if (!handle) return std::unexpected(handle.error());
  if (text.empty() || hwloc_topology_set_synthetic(handle->get(), text.c_str()) != 0) {
    return Fail(fmt::format(
        "'{}' describes no machine: write levels from the package down, each with how many there are in one "
        "above "
        "it, as in 'package:2 [numa(memory=64GB)] l3:1 core:4 pu:2' (man hwloc, synthetic topologies)",
        text));
  }
  return Load(*handle, text);
}

}  // namespace sluice::probes
