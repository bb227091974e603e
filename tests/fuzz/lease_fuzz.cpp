// A slot of the file of leases of any bytes: one that is taken is whole and within bounds, and the same after
// it has been written and read again; one that any values are written to is taken or refused, never changed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "input.h"
#include "sluice/base/check.h"
#include "sluice/probes/host_leases.h"

namespace {

using sluice::probes::CoreLease;

void Check(const CoreLease& lease) {
  SLUICE_CHECK(lease.pid > 0);
  for (const double cores : {lease.wanted, lease.most, lease.used})
    SLUICE_CHECK(std::isfinite(cores) && cores >= 0);
  SLUICE_CHECK(lease.cpus.Count() <= sluice::probes::kLeasedCpus);
  for (const char c : lease.program) SLUICE_CHECK(static_cast<unsigned char>(c) >= ' ');
  const auto again = sluice::probes::ParseLease(sluice::probes::FormatLease(lease));
  SLUICE_CHECK(again && again->pid == lease.pid && again->wanted == lease.wanted &&
               again->cpus == lease.cpus);
}

// The values that begin the input.
CoreLease FromBytes(std::string_view bytes) {
  struct {
    std::int32_t pid;
    double wanted, most, used;
    std::uint64_t cpus;
  } values = {};
  std::memcpy(&values, bytes.data(), std::min(bytes.size(), sizeof(values)));
  CoreLease lease{.pid = values.pid,
                  .program = {},
                  .wanted = values.wanted,
                  .most = values.most,
                  .used = values.used,
                  .cpus = {}};
  for (int cpu = 0; cpu < 64; ++cpu) {
    if ((values.cpus >> cpu & 1) != 0) lease.cpus.Add(16 * cpu);
  }
  if (bytes.size() > sizeof(values)) lease.program = bytes.substr(sizeof(values));
  return lease;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sluice::fuzz::Text(data, size);
  if (const auto lease = sluice::probes::ParseLease(bytes)) Check(*lease);
  if (const auto lease = sluice::probes::ParseLease(sluice::probes::FormatLease(FromBytes(bytes))))
    Check(*lease);
  return 0;
}
