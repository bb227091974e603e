// Journal: the decisions of a controller: their numbers, what came of each, and what should be in force after
// them. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/rate_windows.h"
#include "propose/planner.h"
#include "setting/expectation.h"
#include "sluice/base/decision.h"

namespace sluice::autotune {

class Journal {
 public:
  // Nothing was decided yet.
  [[nodiscard]] bool empty() const { return last_ == 0; }

  // A decision to make `changes`, from now on expected to come into force.
  [[nodiscard]] Decision Ask(const Snapshot& seen, std::vector<KnobChange> changes, std::string because);
  // The same, of which nothing but the rate is still to be seen.
  [[nodiscard]] Decision Order(const Snapshot& seen, std::vector<KnobChange> changes, std::string because);
  // A decision that only says so; empty where that was said last.
  [[nodiscard]] Decision Advise(const Plan& plan, double measured, std::string because);

  void Conclude(std::uint64_t decision, Fate fate, std::optional<double> measured);
  // The rate after the last order.
  void NoteRate(const RateSummary& measured);
  // Those of the decisions that have come to an end since.
  [[nodiscard]] std::vector<Outcome> TakeOutcomes();

  [[nodiscard]] bool ChangedByOthers(const Snapshot& seen) const { return expected_.ChangedByOthers(seen); }
  // What is in force is right, and advice may be given again.
  void Accept(const Snapshot& seen);

 private:
  std::uint64_t last_ = 0;
  Expectation expected_;
  std::vector<KnobChange> said_;           // advised last
  std::optional<std::uint64_t> unjudged_;  // an order whose rate is still to be measured
  std::vector<Outcome> outcomes_;
};

}  // namespace sluice::autotune
