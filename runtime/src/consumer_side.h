// ConsumerSide: the end of the pipeline that the training loop holds: takes items from the last connector,
// runs cheap ops itself rather than sleep, counts its own and its waiting time.
//
// One thread (the consumer's), except Stop, which anybody may call.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "connector.h"
#include "consumer_bell.h"
#include "crew.h"
#include "memory_plan.h"
#include "sluice/base/mutex.h"
#include "sluice/runtime/pipeline.h"
#include "stage.h"

namespace sluice::runtime {

class ConsumerSide {
 public:
  // `keeping`: items may come that are to be replaced, so the last good one is kept, on the account of the
  // plan's last place. Null: none comes.
  ConsumerSide(Connector& last, Stage& last_stage, probes::SegmentWriter& segment, Crew& crew,
               ConsumerBell& bell, bool measure, MemoryPlan* keeping);

  [[nodiscard]] Pipeline::Got Next(Item& item);
  void Stop();
  void Clear();  // drops what was taken but not handed over

 private:
  [[nodiscard]] bool Refill(Item& item);  // drops it; false: the end
  [[nodiscard]] Pipeline::Got End(Item& item);
  [[nodiscard]] bool TakeNext();
  [[nodiscard]] std::optional<Pipeline::Got> Deliver(Item& item);
  void KeepForReplacing(const Item& item);
  void Count(probes::segment::Counter (&latency)[probes::segment::kLatencyBuckets], Nanos spent) const;
  void Switch(probes::segment::WorkerState to, MonoTime now);

  Connector& last_;
  Stage& last_stage_;
  probes::segment::ConsumerEntry& entry_;
  probes::segment::StepEntry& steps_;
  probes::SpanRecorder& spans_;
  Crew& crew_;
  ConsumerBell& bell_;
  const bool measure_;
  std::optional<Keeping> keeping_;
  std::vector<Item> taken_;
  std::span<Item> rest_;         // of them, not handed over yet
  probes::SpanItems numbers_;    // of those taken
  std::uint64_t with_data_ = 0;  // of them: marks between epochs are no items of the consumer's
  bool patient_ = false;         // it takes less time for an item than a wake-up costs
  MonoTime handed_over_{0};      // when the consumer got what was taken last
  std::uint64_t to_fill_ = 0;    // replaced rows before the first good one
  std::optional<Item> last_good_;
  bool over_ = false;
  std::atomic<bool> stopped_{false};
};

}  // namespace sluice::runtime
