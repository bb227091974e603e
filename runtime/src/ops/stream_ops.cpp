#include "ops/stream_ops.h"

#include <algorithm>

namespace sluice::runtime {

OpLogic::Admission ShuffleLogic::Admit(Item& item, Emitter& out) {
  if (item.kind == ItemKind::kEpochEnd) {
    Finish(out);
    rng_.reset();
    out.Emit(std::move(item));
    return Admission::kTaken;
  }
  if (item.kind == ItemKind::kError) {
    out.Emit(std::move(item));
    return Admission::kTaken;
  }
  if (item.kind == ItemKind::kSkipped) return Admission::kTaken;
  if (const auto too_much = keeping_.WhereTooMuch(item)) {
    const auto rows = static_cast<std::int64_t>(held_.size() + 1);
    const Bytes all{too_much->held.count / rows * static_cast<std::int64_t>(size_ + 1)};
    item.EnsureExtras().error = memory_.TooLarge(op_, too_much->account, "a shuffle buffer", all);
    out.Emit(std::move(item));
    return Admission::kTaken;
  }
  epoch_ = item.epoch;
  keeping_.Add(item);
  held_.push_back(std::move(item));
  if (held_.size() > size_) EmitAt(Draw(), out);
  keeping_.Tell();
  return Admission::kTaken;
}

void ShuffleLogic::Finish(Emitter& out) {
  while (!held_.empty()) EmitAt(Draw(), out);
  keeping_.Tell();
}

std::size_t ShuffleLogic::InputsFor(std::size_t units) const {
  return units + size_ - std::min(size_, held_.size());
}

std::size_t ShuffleLogic::Draw() {
  if (!rng_) rng_.emplace(seed_, epoch_, 0, op_);
  return rng_->Below(held_.size());
}

void ShuffleLogic::EmitAt(std::size_t place, Emitter& out) {
  std::swap(held_[place], held_.back());
  keeping_.Remove(held_.back());
  out.Emit(std::move(held_.back()));
  held_.pop_back();
}

OpLogic::Admission RepeatLogic::Admit(Item& item, Emitter& out) {
  if (item.kind == ItemKind::kEpochEnd) {
    if (++marks_ % count_ != 0) return Admission::kTaken;
    item.epoch = marks_ / count_ - 1;
  }
  out.Emit(std::move(item));
  return Admission::kTaken;
}

OpLogic::Admission RangeOfEpochLogic::Admit(Item& item, Emitter& out) {
  if (item.kind == ItemKind::kEpochEnd) {
    seen_ = 0;
  } else if (item.kind == ItemKind::kSkipped) {
    return Admission::kTaken;
  } else if (item.kind != ItemKind::kError) {
    const std::uint64_t place = seen_++;
    if (place < from_ || place >= to_) return Admission::kTaken;
  }
  out.Emit(std::move(item));
  return Admission::kTaken;
}

}  // namespace sluice::runtime
