// What a host says of its storage, nodes, clock, memory and processes, of any bytes (see canned_root.h):
// figures are possible ones, and devices that lie below themselves end.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "canned_root.h"
#include "doctor/clock_checks.h"
#include "doctor/memory_checks.h"
#include "doctor/storage_checks.h"
#include "input.h"
#include "sluice/base/check.h"
#include "sluice/probes/block_devices.h"
#include "sluice/probes/cpu_clock.h"
#include "sluice/probes/huge_pages.h"
#include "sluice/probes/mounts.h"
#include "sluice/probes/numa_counts.h"
#include "sluice/probes/process_toll.h"
#include "sluice/probes/swap_use.h"

namespace {

using namespace sluice;  // NOLINT

constexpr int kPid = 100;

fuzz::CannedRoot& Root() {
  static fuzz::CannedRoot root({"proc",
                                "proc/self",
                                "proc/100",
                                "proc/100/task/100",
                                "proc/100/task/101",
                                "proc/100/fd",
                                "proc/sys/kernel",
                                "proc/sys/vm",
                                "sys/class/bdi/8:0",
                                "sys/class/bdi/0:49",
                                "sys/dev/block/8:0",
                                "sys/dev/block/8:0/queue",
                                "sys/dev/block/8:0/device",
                                "sys/dev/block/253:0",
                                "sys/dev/block/253:0/slaves",
                                "sys/dev/block/7:0/loop",
                                "sys/class/block/sda",
                                "sys/class/block/sda/queue",
                                "sys/class/block/dm-0/dm",
                                "sys/class/block/dm-0/slaves",
                                "sys/devices/system/node/node0",
                                "sys/devices/system/node/node1",
                                "sys/devices/system/cpu/cpufreq/policy0",
                                "sys/devices/system/cpu/cpufreq",
                                "sys/devices/system/cpu/intel_pstate",
                                "sys/kernel/mm/transparent_hugepage",
                                "sys/kernel/mm/hugepages/hugepages-2048kB",
                                "sys/module/zswap/parameters"});
  return root;
}

void CheckChecks(const std::vector<app::DoctorCheck>& checks) {
  for (const app::DoctorCheck& check : checks) {
    SLUICE_CHECK(!check.subject.empty() && !check.found.empty() && !exporters::KindOf(check).empty());
    SLUICE_CHECK(check.remedy.empty() || !check.costs.empty());
  }
  SLUICE_CHECK(!exporters::DoctorText(checks).empty() && !exporters::DoctorJson(checks).empty());
}

void CheckStorage(const std::string& root) {
  for (const char* path : {"/data/train", "/"}) {
    const auto storage = probes::ReadStorage(path, root);
    if (storage) {
      SLUICE_CHECK(storage->read_ahead.value_or(Bytes{0}) >= Bytes{0});
      SLUICE_CHECK(storage->disks.size() <= storage->chain.size());
    }
    const probes::DataSample sample{.files = 1, .bytes = 1_GiB, .chosen = {{"/data/train/a", 1_GiB}}};
    CheckChecks(app::StorageChecks({path, storage, sample, {}}, {8_GiB, "/proc/meminfo"}));
  }
}

void CheckMemory(const std::string& root) {
  const probes::HugePages pages = probes::ReadHugePages(root);
  SLUICE_CHECK(probes::UnusedHugePages(pages) >= Bytes{0});
  CheckChecks(app::HugePageChecks(pages, Bytes{0}));
  const probes::SwapUse swap = probes::ReadSwapUse(root);
  for (const probes::SwapArea& area : swap.areas) SLUICE_CHECK(std::min(area.size, area.used) >= Bytes{0});
  CheckChecks(app::SwapChecks(swap, {}));
  for (const auto& [node, bytes] : probes::ReadNumaMaps(kPid, root).value_or(std::map<int, Bytes>{}))
    SLUICE_CHECK(node >= 0 && bytes >= Bytes{0});
}

void CheckClock(const std::string& root) {
  const probes::CpuClock clock = probes::ReadCpuClock(root);
  for (const probes::ClockPolicy& policy : clock.policies) {
    for (const auto& rate : {policy.least, policy.most, policy.hardware_most, policy.firmware_most})
      SLUICE_CHECK(!rate || (std::isfinite(rate->per_second) && rate->per_second > 0));
  }
  CheckChecks(app::ClockChecks(clock));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string& root = Root().path();
  Root().Fill(fuzz::Text(data, size));
  CheckStorage(root);
  CheckMemory(root);
  CheckClock(root);
  const auto nodes = probes::ReadNumastat(root);
  SLUICE_CHECK(nodes.size() <= 2 && probes::CountsBetween(nodes, nodes).size() == nodes.size());
  static_cast<void>(probes::ReadNumaSettings(root));
  if (const auto toll = probes::ReadProcessToll(kPid, root)) {
    SLUICE_CHECK(std::min(toll->user, toll->system) >= Nanos(0));
    SLUICE_CHECK(toll->swapped.value_or(Bytes{0}) >= Bytes{0});
  }
  return 0;
}
