#include "web/stream_pace.h"

#include <algorithm>
#include <utility>

namespace sluice::exporters {
namespace {

constexpr std::uint64_t kSlowest = 64;
constexpr int kKeepsUp = 10;  // lines in a row, before it gets more of them

}  // namespace

void StreamPace::Change(std::uint64_t every) {
  every_ = every;
  in_time_ = 0;
  tell_ = true;
}

StreamPace::Step StreamPace::Offer(bool taken) {
  ++since_;
  if (!taken) {
    if (!std::exchange(late_, true)) Change(std::min(2 * every_, kSlowest));
    ++skipped_;
    return {};
  }
  late_ = false;
  if (since_ < every_) {
    ++skipped_;
    return {};
  }
  since_ = 0;
  Step step{.send = true, .notice = {}};
  if (++in_time_ > kKeepsUp && every_ > 1) Change(every_ / 2);
  if (std::exchange(tell_, false)) step.notice = {every_, std::exchange(skipped_, 0)};
  return step;
}

}  // namespace sluice::exporters
