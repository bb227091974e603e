// Cachew: one number of workers for the whole pipeline, tried one up or one down at a time: up for as long as
// batches come more than 7 % faster, down for as long as they come less than 3 % slower. Once settled it
// looks again after 20 reports. Constants: docs/baselines.md, "Cachew". One thread.
#pragma once
#include <optional>
#include <vector>

#include "baseline.h"
#include "window.h"

namespace sluice::baselines {

class Cachew final : public Baseline {
 public:
  static constexpr double kGainToGrow = 0.07;
  static constexpr double kLossToShrink = 0.03;
  static constexpr double kUnstable = 1.2;
  static constexpr int kStableReports = 20;
  static constexpr double kGrowth = 1.5;  // of the queue: try down; of the batch time: try up
  static constexpr int kMostWorkers = 100;
  // A report, of the client's heartbeat.
  static constexpr Nanos kHeartbeat = std::chrono::seconds(1);
  static constexpr double kBatches = 20;

 private:
  struct Report {
    int workers = 1;
    double batch_seconds = 0;
    double queue = 0;  // items before the consumer
  };

  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] std::optional<Report> Reported(const Snapshot& seen);
  [[nodiscard]] Move Scale(const Snapshot& seen, const Report& last);
  [[nodiscard]] Move Hold(const Snapshot& seen, const Report& last);
  [[nodiscard]] Move Go(const Snapshot& seen, int workers, std::string because);
  [[nodiscard]] Move Converge(const Snapshot& seen, const Report& report, std::string because);

  std::vector<int> start_;  // workers per op
  int start_workers_ = 1;   // the number that stands for them
  int workers_ = 1;
  bool scaling_ = true;
  bool settling_ = false;  // the report after a change belongs to both settings
  std::optional<Report> reference_;
  Report converged_;
  int stable_ = 0;
  Snapshot since_;
  FillSampler queue_;
};

}  // namespace sluice::baselines
