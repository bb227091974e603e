// Turnover: tells whether all that leaves an op was begun after its number of workers changed last. What was
// inside before took its time among other workers, and says nothing of the present ones. One thread.
#pragma once
#include <vector>

#include "observe/interval.h"

namespace sluice::autotune {

class Turnover {
 public:
  explicit Turnover(std::size_t ops = 0) : inside_(ops), left_(ops), crowd_(ops) {}

  // To be told of every interval. Whether items from before a change left an op in it.
  bool Add(const Interval& interval);

 private:
  std::vector<double> inside_;  // per op: busy workers in the last interval
  std::vector<double> left_;    // per op: items from before that are still to leave
  std::vector<double> crowd_;   // per op: how many were inside when the number changed
};

}  // namespace sluice::autotune
