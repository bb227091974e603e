// Baseline: what all published rules share when they meet our seam: a new graph starts a new run, wishes
// become changes within what the knobs allow, decisions are numbered. One thread.
//
// The room's own names live in sluice::baselines: several rules need words that other rooms use for
// parts of their own, and both are linked into one program.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/autotune/controller.h"

namespace sluice::baselines {

struct Wish {
  KnobId knob;
  std::int64_t to = 1;
};

// What a rule wants now. Nothing happens without wishes that differ from what is in force.
struct Move {
  std::vector<Wish> wishes;
  std::string because;
  Rate predicted;                // where the rule predicts
  std::optional<Fate> previous;  // what the rule made of its last decision
};

class Baseline : public autotune::Controller {
 public:
  [[nodiscard]] Decision Decide(const Snapshot& seen) final;

 protected:
  // The first snapshot of a run. Forgets everything.
  virtual void Begin(const Snapshot& seen) = 0;
  // Every snapshot, the first one included.
  [[nodiscard]] virtual Move Next(const Snapshot& seen) = 0;

  // Told with every decision from now on. For rules that name a bottleneck.
  void Say(Verdict verdict) { verdict_ = std::move(verdict); }

 private:
  struct Mark {
    MonoTime at{0};
    std::uint64_t items = 0;
  };
  void Restart(const Snapshot& seen);
  [[nodiscard]] Rate RecentRate(const Snapshot& seen);

  std::shared_ptr<const Graph> graph_;
  std::uint64_t last_id_ = 0;
  Verdict verdict_;
  std::deque<Mark> marks_;
};

}  // namespace sluice::baselines
