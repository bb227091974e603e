// HandMade: a chain of ops whose readings are written by hand, so that what a rule must decide can be
// worked out on paper. Changes are in force at once.
#pragma once
#include <string>
#include <vector>

#include "sluice/autotune/controller.h"

namespace sluice::baselines::testing {

struct HandMadeOp {
  std::string name;
  int workers = 1;
  std::int64_t capacity = 16;  // of the connector behind it
  int most = 64;               // workers; 1: serial
  std::uint32_t rows_per_item = 1;
  std::int64_t bytes = 1000;  // per item
  bool pinned = false;
};

// What one op did in a while.
struct Did {
  std::uint64_t items = 0;
  double busy = 0;          // seconds, on a core
  std::uint64_t depth = 0;  // of the connector behind it, at the end
};

struct Consumed {
  std::uint64_t items = 0;
  double busy = 0;  // seconds
};

class HandMade {
 public:
  HandMade(std::vector<HandMadeOp> ops, double cores, Bytes memory = {});

  void Pass(double seconds, const std::vector<Did>& did, Consumed consumed);
  void TurnEpoch() { ++seen_.epoch; }
  [[nodiscard]] const Snapshot& seen() const { return seen_; }

  // Asks, applies, and says what changed: "decode.workers 1->3, read.capacity 16->20"; empty for nothing.
  std::string Ask(autotune::Controller& controller);
  [[nodiscard]] const Decision& last() const { return last_; }

 private:
  void Apply(const KnobChange& change);

  Snapshot seen_;
  std::vector<HandMadeOp> ops_;
  Decision last_;
};

}  // namespace sluice::baselines::testing
