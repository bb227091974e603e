// The rules of MindSpore's Dataset AutoTune as plain values and functions; its rounds are in mindspore.h.
// Constants and rules: docs/baselines.md, "MindSpore AutoTune". Immutable.
#pragma once
#include <cstdint>
#include <vector>

#include "baseline.h"

namespace sluice::baselines {

struct MindSporeRules {
  static constexpr int kWorkersStep = 2;
  static constexpr std::int64_t kQueueStep = 4;
  static constexpr std::int64_t kLongestQueue = 128;
  static constexpr double kFinalQueueGood = 0.75;
  static constexpr double kFillGap = 0.35;
  static constexpr double kInputLow = 0.5;
  static constexpr double kCpuHigh = 0.75;  // of a core, per worker
  static constexpr double kCpuLow = 0.35;
};

// One op as a round of the time phase sees it.
struct MindSporeOp {
  std::size_t op = 0;
  std::size_t connector = 0;  // behind the op
  double in_fill = 1;         // of the connector before it; a source: 1
  double out_fill = 0;
  double cpu_per_worker = 0;  // cores
  int workers = 1;
  std::int64_t capacity = 1;
};

// The time phase for one op: at most one wish for its workers and one for its queue.
[[nodiscard]] std::vector<Wish> TimePhase(const MindSporeOp& op, int hardware_threads);

// The memory phase: shrinks one queue at a time for as long as the final queue stays as full. One thread.
class MindSporeMemoryPhase {
 public:
  struct Queue {
    std::size_t connector = 0;
    std::int64_t capacity = 1;
    std::int64_t floor = 1;  // the workers of its op
  };
  static constexpr double kTolerance = 0.02;

  MindSporeMemoryPhase(std::vector<Queue> queues, double factor)
      : queues_(std::move(queues)), factor_(factor) {}

  // One round, given how full the final queue was since the last one.
  [[nodiscard]] std::vector<Wish> Round(double final_fill);
  [[nodiscard]] bool done() const { return turn_ >= queues_.size(); }

 private:
  [[nodiscard]] std::vector<Wish> Shrink(double final_fill);

  std::vector<Queue> queues_;
  double factor_;
  std::size_t turn_ = 0;
  bool trying_ = false;
  double reference_ = 0;     // fill of the final queue when this queue's turn began
  std::int64_t before_ = 0;  // this queue's capacity before the last shrink
};

}  // namespace sluice::baselines
