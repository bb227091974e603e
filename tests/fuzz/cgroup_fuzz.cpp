// Files of control groups of any bytes, v1, v2 and both: folders lie below a mount, limits are possible ones.
// A line "=== mountinfo" ends /proc/PID/cgroup and begins /proc/self/mountinfo; the same text is also read as
// each of the files that hold a limit, and as an environment with what Slurm says in it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input.h"
#include "machine/cgroup_limits.h"
#include "machine/cgroup_paths.h"
#include "machine/core_hints.h"
#include "sluice/base/check.h"

namespace {

using namespace sluice;  // NOLINT

void CheckFolders(std::string_view memberships, std::string_view mountinfo) {
  const auto mounts = probes::ParseCgroupMounts(mountinfo);
  for (const char* controller : {"cpu", "memory", ""}) {
    const auto found =
        probes::FindCgroupFolders(probes::ParseCgroupMemberships(memberships), mounts, controller);
    SLUICE_CHECK(found.names.size() == found.folders.size());
    for (const std::string& name : found.names) {
      SLUICE_CHECK(std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; }));
    }
    for (const std::string& folder : found.folders) {
      SLUICE_CHECK(std::ranges::any_of(mounts, [&](const probes::CgroupMount& mount) {
        return mount.v2 == found.v2 && folder.starts_with(mount.point);
      }));
    }
  }
}

void CheckLimits(std::string_view text, std::string_view other) {
  for (const auto& quota : {probes::ParseCpuMax(text), probes::ParseCfsQuota(text, other)})
    SLUICE_CHECK(!quota || (std::isfinite(quota->cores()) && quota->cores() > 0));
  const auto use = probes::ParseQuotaUse(text);
  SLUICE_CHECK(!use || (use->throttled_periods <= use->periods && use->throttled >= Nanos(0)));
  const auto throttled = probes::ParseThrottled(text);
  SLUICE_CHECK(!throttled || *throttled >= Nanos(0));
  const auto limit = probes::ParseMemoryLimit(text);
  SLUICE_CHECK(!limit || *limit >= Bytes{0});
  for (const bool v2 : {false, true}) SLUICE_CHECK(probes::ParseFilePages(text, v2) >= Bytes{0});
}

void CheckHints(std::string_view environment) {
  for (const CoreHint& hint : probes::ParseCoreHints(environment)) {
    SLUICE_CHECK(!hint.cores || (*hint.cores >= 1 && *hint.cores <= 1 << 20));
    SLUICE_CHECK(std::ranges::all_of(hint.origin, [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kBorder = "=== mountinfo\n";
  const std::string_view text = fuzz::Text(data, size);
  const std::size_t border = std::min(text.find(kBorder), text.size());
  const std::string_view first = text.substr(0, border);
  const std::string_view second = text.substr(std::min(border + kBorder.size(), text.size()));
  CheckFolders(first, second);
  CheckLimits(first, second);
  CheckHints(first);
  return 0;
}
