// MindSporeAutoTune: MindSpore's Dataset AutoTune, both generations of its rules: rounds of the time phase,
// then, in the newer one, back to the best setting seen and the memory phase. One thread.
#pragma once
#include <limits>
#include <optional>
#include <string>

#include "mindspore_rules.h"
#include "window.h"

namespace sluice::baselines {

enum class MindSporeGeneration : std::uint8_t { kOlder, kNewer };
enum class MindSporeRound : std::uint8_t { kSteps, kEpoch };

class MindSporeAutoTune final : public Baseline {
 public:
  static constexpr std::uint64_t kInterval = 30;      // steps per round: the example of its documentation
  static constexpr std::uint64_t kWarmUpSteps = 150;  // max(150, interval)
  static constexpr Nanos kMonitor = std::chrono::seconds(1);
  static constexpr int kPatienceSteps = 10;  // rounds without a better one
  static constexpr int kPatienceEpochs = 4;
  static constexpr double kShrinkSteps = 0.8;
  static constexpr double kShrinkEpochs = 0.5;

  MindSporeAutoTune(MindSporeGeneration generation, MindSporeRound round)
      : generation_(generation), round_(round) {}

 private:
  enum class Phase : std::uint8_t { kTime, kMemory, kEnd };

  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] bool RoundOver(const Snapshot& seen) const;
  [[nodiscard]] Move Round(const Snapshot& seen);
  [[nodiscard]] Move TimeRound(const Snapshot& seen, const Window& window);
  [[nodiscard]] Move MemoryRound(const Snapshot& seen);
  [[nodiscard]] Move Restore(const Snapshot& seen);
  void Remember(const Snapshot& seen);
  [[nodiscard]] double FinalFill(const Snapshot& seen) const;
  [[nodiscard]] double InFill(const Snapshot& seen, std::size_t op) const;

  const MindSporeGeneration generation_;
  const MindSporeRound round_;
  Phase phase_ = Phase::kTime;
  std::uint64_t first_item_ = 0;
  std::uint64_t first_epoch_ = 0;
  bool warm_ = false;
  Snapshot since_;  // the round's beginning
  FillSampler fills_;
  double best_ = std::numeric_limits<double>::infinity();  // seconds per batch
  int stale_ = 0;
  std::vector<Wish> saved_;
  std::optional<MindSporeMemoryPhase> memory_;
};

}  // namespace sluice::baselines
