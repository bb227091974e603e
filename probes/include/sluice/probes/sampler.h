// Sampler: one complete Snapshot per call: the segment's counters joined with what the kernel knows
// (/proc/<pid>/task/<tid>/schedstat per worker thread, /proc/<pid>/statm, CPU time; the budget with its
// bounds, throttling and pressure, re-read every second).
//
// One thread (the agent's). Keeps per-thread state between calls so that an op's CPU time also covers
// workers that have retired. CPU time of work done by another thread on a slot's behalf (chained cheap
// ops) is attributed to the op whose work it was.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "sluice/base/budget.h"
#include "sluice/base/snapshot.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {

struct SamplerOptions {
  std::string root{};  // prefix of /proc and /sys, for tests on canned trees
  // What the user gave; overrides what was found (never above it for cores).
  std::optional<double> cores;
  std::optional<Bytes> memory;
};

class Sampler {
 public:
  Sampler(SegmentReader reader, SamplerOptions options);
  Sampler(Sampler&&) noexcept;
  ~Sampler();
  [[nodiscard]] Snapshot Sample(MonoTime now, Nanos wall);
  [[nodiscard]] const SegmentReader& reader() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::probes
