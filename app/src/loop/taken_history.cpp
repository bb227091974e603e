#include "loop/taken_history.h"

namespace sluice::app {

void TakenHistory::Note(MonoTime at, std::uint64_t rows) {
  total_ = {at, total_.items + 1, total_.rows + rows};
  if (!marks_.empty() && at - marks_.back().at < step_) return;
  marks_.push_back(total_);
  if (marks_.size() < kLimit) return;
  for (std::size_t i = 0; i < kLimit / 2; ++i) marks_[i] = marks_[2 * i];
  marks_.resize(kLimit / 2);
  step_ *= 2;
}

}  // namespace sluice::app
