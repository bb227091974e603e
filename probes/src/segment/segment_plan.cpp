#include "segment/segment_plan.h"

namespace sluice::probes {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t RoundUp(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

template <typename Entry>
segment::Section Place(std::uint64_t& end, std::size_t count) {
  const segment::Section placed{end, sizeof(Entry), static_cast<std::uint32_t>(count)};
  end = RoundUp(end + sizeof(Entry) * count, kLine);
  return placed;
}

}  // namespace

SegmentPlan PlanSegment(std::size_t ops, std::size_t connectors, std::size_t knobs) {
  SegmentPlan plan;
  std::uint64_t end = sizeof(segment::Header);
  plan.ops = Place<segment::OpEntry>(end, ops);
  plan.connectors = Place<segment::ConnectorEntry>(end, connectors);
  plan.consumer = Place<segment::ConsumerEntry>(end, 1);
  plan.steps = Place<segment::StepEntry>(end, 1);
  plan.knobs = Place<segment::KnobCell>(end, knobs);
  plan.decisions = Place<segment::RingRecord>(end, segment::kDecisionRing);
  plan.events = Place<segment::RingRecord>(end, segment::kEventRing);
  plan.workers = Place<segment::WorkerSlot>(end, segment::kMaxWorkers);
  plan.total_size = RoundUp(end, kPage);
  return plan;
}

}  // namespace sluice::probes
