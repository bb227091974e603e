#include "ops/join_ops.h"

#include <algorithm>
#include <utility>

namespace sluice::runtime {
namespace {

// What becomes of a pair with such a part; the greatest of all parts counts.
int Weight(const Item& part) {
  switch (part.kind) {
    case ItemKind::kError:
      return 3;
    case ItemKind::kSkipped:
      return 2;
    case ItemKind::kReplaced:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

OpLogic::Admission ZipLogic::Admit(Item& item, Emitter& out) {
  if (item.kind == ItemKind::kEpochEnd) {
    EndEpoch(item, out);
    return Admission::kTaken;
  }
  if (ending_) return Admission::kTaken;
  gathered_.push_back(std::move(item));
  wants_ = gathered_.size() % ended_.size();
  if (wants_ == 0) out.Emit(Joined());
  return Admission::kTaken;
}

void ZipLogic::EndEpoch(Item& mark, Emitter& out) {
  gathered_.clear();  // they have no partner
  ended_[wants_] = ending_ = true;
  const auto next = std::ranges::find(ended_, false);
  wants_ = static_cast<std::size_t>(next - ended_.begin());
  if (next != ended_.end()) return;
  ended_.assign(ended_.size(), false);
  ending_ = false;
  wants_ = 0;
  out.Emit(std::move(mark));
}

// The others of a part, too, are others of the whole.
Item ZipLogic::Joined() {
  const auto worst = std::ranges::max_element(gathered_, {}, Weight);
  Item whole = std::move(Weight(*worst) > 0 ? *worst : gathered_.front());
  if (Weight(whole) == 0) {
    for (Item& part : std::span(gathered_).subspan(1)) {
      const auto more = std::move(part.extras);
      std::vector<Item>& others = whole.EnsureExtras().others;
      others.push_back(std::move(part));
      if (more != nullptr) std::ranges::move(more->others, std::back_inserter(others));
    }
  }
  gathered_.clear();
  return whole;
}

OpLogic::Admission ConcatLogic::Admit(Item& item, Emitter& out) {
  if (item.kind != ItemKind::kEpochEnd) {
    out.Emit(std::move(item));
    return Admission::kTaken;
  }
  turn_ = (turn_ + 1) % inputs_;
  if (turn_ == 0) out.Emit(std::move(item));
  return Admission::kTaken;
}

}  // namespace sluice::runtime
