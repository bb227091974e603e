// Decision: the knob changes that somebody wants now, and why. The controller's and the user's changes
// are the same value and land in the same log.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/knob.h"
#include "sluice/base/regime.h"
#include "sluice/base/units.h"

namespace sluice {

struct KnobChange {
  KnobId knob;
  std::int64_t from = 0;
  std::int64_t to = 0;
  friend bool operator==(const KnobChange&, const KnobChange&) = default;
};

enum class Author : std::uint8_t { kController = 0, kUser = 1 };
enum class Fate : std::uint8_t {
  kTrial = 0,  // applied, its effect is being measured
  kKept = 1,
  kRolledBack = 2,  // measured to be worse; undone
  kAdvised = 3,     // said, not applied (--advise)
  kRejected = 4,    // outside of a bound or the budget
};

// What became of an earlier decision.
struct Outcome {
  std::uint64_t decision = 0;  // Decision::id
  Fate fate = Fate::kKept;
  std::optional<Rate> measured;  // consumer items per second after the change had settled
};

// Why the consumer waits, or that it does not, in one sentence, with how sure we are.
enum class Limit : std::uint8_t {
  kUnknown = 0,     // not enough seen yet
  kConsumer = 1,    // the consumer is the limit: all is well
  kOp = 2,          // one op; more workers would help
  kSerialOp = 3,    // one op that cannot have more workers
  kCores = 4,       // the core budget
  kMemory = 5,      // the byte budget
  kStorage = 6,     // waiting for reads that more readers do not speed up
  kContention = 7,  // one op gets slower with more workers
};
struct Verdict {
  Limit limit = Limit::kUnknown;
  std::optional<std::uint32_t> op;  // the op concerned, an index into the graph
  std::string sentence;             // "decode limits the run: ..."; ends with the remedy where there is one
  Fraction confidence;
  std::vector<Regime> regimes{};  // of each op of the graph; empty: not known
};

struct Decision {
  std::uint64_t id = 0;  // 0: nothing is to be changed
  MonoTime at{0};
  Author author = Author::kController;
  std::vector<KnobChange> changes;
  std::string because;
  Rate before;                    // consumer items per second before the change
  Rate predicted;                 // and expected after it
  bool advice = false;            // to be said, not applied
  std::vector<Outcome> outcomes;  // of earlier decisions
  Verdict verdict;                // as of this moment
};

}  // namespace sluice
