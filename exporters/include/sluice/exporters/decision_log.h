// DecisionLog: every decision of a run with what became of it, in the order it was made. A plain value.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

struct LoggedDecision {
  Decision decision;
  Fate fate = Fate::kTrial;
  std::optional<Rate> measured;  // consumer items per second after it had settled
};

// One thread; copies are independent.
class DecisionLog {
 public:
  // Applies the outcomes that `decision` carries to earlier entries, then appends it unless its id is 0 or
  // known already. Advice starts as advised, a user's change as kept, everything else on trial.
  void Add(const Decision& decision);
  // An entry read back from elsewhere; one of the same id is replaced.
  void Put(LoggedDecision entry);
  // Outcomes of unknown decisions are ignored: their entry may have fallen out of a ring.
  void Apply(const Outcome& outcome);

  [[nodiscard]] const std::vector<LoggedDecision>& entries() const { return entries_; }
  // The newest change that nobody has judged yet; nullptr: there is none, or it takes one back.
  [[nodiscard]] const Decision* OnTrial() const;

 private:
  LoggedDecision* Find(std::uint64_t id);
  std::vector<LoggedDecision> entries_;
};

// Which decisions of a log have something to be told: they are new, or what has become of them is.
// One thread.
class DecisionNews {
 public:
  // Each once. Pointers into the log, until it changes.
  [[nodiscard]] std::vector<const LoggedDecision*> Take(const DecisionLog& log);

 private:
  struct Told {
    Fate fate = Fate::kTrial;
    bool measured = false;
    friend bool operator==(const Told&, const Told&) = default;
  };
  std::vector<Told> told_;  // of each decision, by its place
};

[[nodiscard]] std::string_view FateName(Fate fate);  // "trial", "kept", "rolled back", "advised", "rejected"

// The knob's name; "op 2 workers" and the like where `knobs` does not hold it.
[[nodiscard]] std::string KnobName(KnobId id, const std::vector<Knob>& knobs);

struct NamedChange {
  std::string knob;
  std::int64_t from = 0;
  std::int64_t to = 0;
  KnobKind kind = KnobKind::kWorkers;
  friend bool operator==(const NamedChange&, const NamedChange&) = default;
};
[[nodiscard]] std::vector<NamedChange> NamedChanges(const std::vector<KnobChange>& changes,
                                                    const std::vector<Knob>& knobs);

// "decode.workers 1 -> 2, decode.capacity 1 -> 4"
[[nodiscard]] std::string ChangesText(const std::vector<NamedChange>& changes, const TextStyle& style = {});

// after / before - 1; nullopt where there was no `before`.
[[nodiscard]] std::optional<double> Gain(Rate before, std::optional<Rate> after);

// One line without a line break, of any length:
// "3.2s  decode.workers 1 -> 2  kept  predicted +95%  measured +88%  because decode is busy 99%"
[[nodiscard]] std::string DecisionLine(const LoggedDecision& entry, MonoTime run_start,
                                       const std::vector<Knob>& knobs, const TextStyle& style = {});

// One JSON object without line breaks, at most `kDecisionJsonBytes` long: for the segment's ring. What does
// not fit is cut, first the reason's end, then the last changes.
inline constexpr std::size_t kDecisionJsonBytes = 400;
[[nodiscard]] std::string DecisionJson(const LoggedDecision& entry);
// The inverse; a verdict is refused. `json` is untrusted.
[[nodiscard]] Result<LoggedDecision> ParseDecisionJson(std::string_view text);

// A verdict for the same ring, as long at most; the sentence's end is cut. `now` names its op.
[[nodiscard]] std::string VerdictRecordJson(const Verdict& verdict, const Snapshot& now);
// The sentence of such a record; nullopt: it is none. `json` is untrusted.
[[nodiscard]] std::optional<std::string> SentenceOfVerdict(std::string_view text);

}  // namespace sluice::exporters
