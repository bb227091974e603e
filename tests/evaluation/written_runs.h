// Runs written down by hand, so that their scores can be worked out on paper. The pipeline that they are
// runs of has one op, `work`, of 10 ms on one core, and a consumer that could take 100 items per second:
// the optimum is 100 items per second and one core. With `events`, each at its time makes the consumer's
// step `step` times as long, so the optimum is 100 / step.
#pragma once
#include <vector>

#include "sluice/evaluation/run_record.h"
#include "sluice/evaluation/scores.h"

namespace sluice::evaluation::testing {

struct WrittenEvent {
  double at = 0;
  double step = 1;
};
[[nodiscard]] simulator::SimScenario Work(const std::vector<WrittenEvent>& events = {});

// A builder; ticks of 0.2 s, so rates are multiples of 5.
class Written {
 public:
  Written() { record_.workers = {1, 1}; }
  Written& For(double seconds, double rate, double cores = 1);
  // For so many seconds, one after the other at the first and the second rate.
  Written& Wavering(double seconds, double first, double second);
  // Now: the workers of `work` become `to`.
  Written& Change(std::int64_t to);
  // From now on.
  Written& Says(Limit limit, std::optional<std::uint32_t> op = std::nullopt);
  Written& Buffers(double memory_share);
  Written& Dies();

  [[nodiscard]] const RunRecord& record() const { return record_; }

 private:
  RunRecord record_;
  double now_ = 0;
  std::int64_t workers_ = 1;
  RunTick like_;
};

// Measured by the optimum of Work(); unless said otherwise the oracle reaches it and so does the start
// setting.
[[nodiscard]] Scores Scored(const Written& run, const std::vector<WrittenEvent>& events = {});
[[nodiscard]] Scores Scored(const Written& run, const Written& untouched, const Written& reachable,
                            const std::vector<WrittenEvent>& events = {});

}  // namespace sluice::evaluation::testing
