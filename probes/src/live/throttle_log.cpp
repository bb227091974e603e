#include "live/throttle_log.h"

#include <utility>

namespace sluice::probes {
namespace {

// Of ten periods per second, as a rule: long enough for a share, short enough to see a quota go.
constexpr Nanos kLook = std::chrono::seconds(5);

}  // namespace

void ThrottleLog::Look(MonoTime now, std::vector<CpuQuota>& quotas) {
  std::map<std::string, std::deque<Seen>> seen;
  for (CpuQuota& quota : quotas) {
    if (!quota.use) continue;
    std::deque<Seen>& looks = seen[quota.group];
    if (const auto before = seen_.find(quota.group); before != seen_.end()) looks = std::move(before->second);
    if (!looks.empty() && !UseBetween(looks.back().use, *quota.use)) looks.clear();
    looks.push_back({now, *quota.use});
    while (looks.size() > 2 && now - looks[1].at >= kLook) looks.pop_front();
    if (const auto use = UseBetween(looks.front().use, *quota.use))
      quota.throttled_share = ThrottledShare(*use);
  }
  seen_ = std::move(seen);
}

}  // namespace sluice::probes
