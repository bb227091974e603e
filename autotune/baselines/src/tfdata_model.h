// TfDataModel: tf.data's analytic model of a pipeline. Nodes in topological order, sources first, the last
// one is the root. Times in seconds per element of the node.
//
//   input time, root to leaf:  I_j = (I_parent + s/n) / r_j       (I_parent of the root: what is given)
//   output time, leaf to root: O = s/n + y p(x, y, b),  x = I_parent + s/n,  y = sum_j r_j O_j,  b = n / r
//   p, the buffer is empty:    (1 - q) / (1 - q^(b+1)),  q = x/y;  1/(b+1) at q = 1; 1 at x = 0; 0 at y = 0
// docs/baselines.md, "tf.data". One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::baselines {

struct TfInput {
  std::size_t node = 0;
  double ratio = 1;  // elements taken for one made
};

struct TfNode {
  double self = 0;  // seconds of a worker per element
  int parallelism = 1;
  int least = 1;  // the parameter's range; equal: not tunable
  int most = 1;
  std::vector<TfInput> inputs;
  double visits = 1;  // elements per final element
  double bytes = 0;   // per element
  double slots = 0;   // elements that its buffer holds beside one per worker

  [[nodiscard]] bool tunable() const { return least < most; }
};

// p(x, y, b) above.
[[nodiscard]] double BufferEmpty(double consumer_time, double producer_time, double buffer);

class TfDataModel {
 public:
  explicit TfDataModel(std::vector<TfNode> nodes) : nodes_(std::move(nodes)) {}

  [[nodiscard]] std::vector<TfNode>& nodes() { return nodes_; }
  [[nodiscard]] const std::vector<TfNode>& nodes() const { return nodes_; }

  // Of the root, in seconds per final element, given the time between requests to it.
  [[nodiscard]] double OutputTime(double input_time = 0) const;
  // Thread-seconds per final element.
  [[nodiscard]] double ProcessingTime() const;
  // At most buffered.
  [[nodiscard]] double Bytes() const;
  // Of an op as a stage, per final element.
  [[nodiscard]] double StageTime(std::size_t node) const;

 private:
  std::vector<TfNode> nodes_;
};

// The snapshot as the model sees it, with each op's seconds per element as given. All free parallelism
// parameters may move between 1 and the whole cores of the budget.
[[nodiscard]] TfDataModel ModelOf(const Snapshot& seen, const std::vector<double>& self);
// Lifetime means, P / N. nullopt until every op has finished an element.
[[nodiscard]] std::optional<std::vector<double>> LifetimeMeans(const Snapshot& seen);

}  // namespace sluice::baselines
