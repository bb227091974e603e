// Agent: closes the loop: senses the plant, lets the controller decide, applies, and keeps the record that
// the screen, the metrics and the report are made of. The only place where a Decision meets a Plant.
//
// One thread.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/base/plant.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/interval.h"

namespace sluice::app {

// Two snapshots of one run: everything measured between them belongs together.
struct Span {
  Snapshot from, to;
};

class Agent {
 public:
  // `controller` null: watch only.
  Agent(Plant& plant, autotune::Controller* controller);

  // One turn of the lap: Sense, Decide, Apply. Returns what was decided (id 0: nothing).
  const Decision& Step();

  // Sense only: the last look, after the run has ended. Its workers are gone by then; the snapshot says how
  // many each op had.
  void LookBack();

  [[nodiscard]] const Decision& decided() const { return decided_; }
  [[nodiscard]] const Snapshot& first() const { return first_; }
  [[nodiscard]] const Snapshot& now() const { return recent_.back(); }
  // The newest snapshot that is at least `age` old; the oldest there is where none is.
  [[nodiscard]] const Snapshot& Before(Nanos age) const;
  [[nodiscard]] const exporters::DecisionLog& decisions() const { return decisions_; }
  // For decisions that somebody else has made and applied.
  [[nodiscard]] exporters::DecisionLog& log() { return decisions_; }
  // For those who watch from other processes, as JSON: each decision, when it is made and when its fate is
  // known, and the verdict when it names another limit. Once after each Step.
  void TellNews(const std::function<void(MonoTime, const std::string&)>& tell);
  // While it is held, every knob is the user's: the controller goes on judging, and changes nothing.
  void Hold(bool held) { held_ = held; }
  [[nodiscard]] bool held() const { return held_; }
  // Applies what somebody else has decided, for good; what changes no knob is only logged. Of a user's change
  // it is told what was expected, and later what was measured.
  void Adopt(Decision decision);
  // Of the controller in the last Step; empty: none, or it has nothing to tell.
  [[nodiscard]] std::vector<Belief> Beliefs() const;
  // nullopt: nobody can tell.
  [[nodiscard]] std::optional<Forecast> Foresee(const std::vector<KnobChange>& changes);
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  // Of the consumer, one value per half second, oldest first, at most two minutes.
  [[nodiscard]] const std::vector<Fraction>& starved_history() const { return starved_; }

  // Throughput before the first change (at most the first three seconds with items) and at the end (since
  // the last change had settled, at most the last five seconds with items). Longer where a few items take
  // longer than that.
  [[nodiscard]] std::optional<exporters::ConsumerInterval> FirstWindow() const;
  [[nodiscard]] std::optional<exporters::ConsumerInterval> LastWindow() const;
  // The same windows by their ends.
  [[nodiscard]] std::optional<Span> FirstSpan() const;
  [[nodiscard]] std::optional<Span> LastSpan() const;

 private:
  // A user's change until its effect is known.
  struct Unmeasured {
    Decision decision;
    std::optional<MonoTime> in_force;
  };

  void Remember(Snapshot seen);
  void MeasureUsersChange();
  void NoteFlow(const Snapshot& seen);
  void NoteStarved();

  Plant& plant_;
  autotune::Controller* const controller_;
  bool held_ = false;
  Decision decided_;
  exporters::DecisionLog decisions_;
  std::size_t told_ = 0;  // of them
  Verdict verdict_;
  Verdict told_verdict_;
  Snapshot first_;
  std::deque<Snapshot> recent_;      // the last ten seconds
  std::deque<Snapshot> flow_;        // those in which items had been taken, for the last window
  std::optional<Snapshot> flowing_;  // the first one with items
  std::optional<Snapshot> first_window_end_;
  std::optional<MonoTime> last_change_;
  std::optional<Unmeasured> unmeasured_;
  std::vector<Fraction> starved_;
  std::optional<Snapshot> starved_from_;
};

}  // namespace sluice::app
