// Ops on several streams of items: zip and concat. All their work is choosing, so it happens in Admit, in the
// order that Wants() asks for: the output does not depend on which input is the faster.
#pragma once
#include <vector>

#include "op_logic.h"

namespace sluice::runtime {

// One item of every input becomes one: the first input's, with those of the others in Item::others. Of a pair
// a part of which has failed nothing is passed on but the failure: an error, or a place to be left out or
// filled, so that the pairs behind it stay the same.
//
// When an input's epoch ends, the zip's does. What is left of the others' epochs is taken and dropped: their
// sources have read it or are about to, and only the mark behind it says where the next epoch begins.
class ZipLogic : public OpLogic {
 public:
  explicit ZipLogic(std::size_t inputs) : ended_(inputs, false) {}
  [[nodiscard]] std::size_t Wants() const override { return wants_; }
  Admission Admit(Item& item, Emitter& out) override;
  [[nodiscard]] std::size_t InputsFor(std::size_t units) const override { return units * ended_.size(); }

 private:
  void EndEpoch(Item& mark, Emitter& out);
  [[nodiscard]] Item Joined();

  std::vector<bool> ended_;  // by input: its mark has come, and others' have not
  bool ending_ = false;      // one of them has
  std::size_t wants_ = 0;
  std::vector<Item> gathered_;  // of inputs 0, 1, ... of the pair in the making
};

// All of an epoch's items of the first input, then of the second, ...: the marks between them are swallowed.
class ConcatLogic : public OpLogic {
 public:
  explicit ConcatLogic(std::size_t inputs) : inputs_(inputs) {}
  [[nodiscard]] std::size_t Wants() const override { return turn_; }
  Admission Admit(Item& item, Emitter& out) override;

 private:
  const std::size_t inputs_;
  std::size_t turn_ = 0;
};

}  // namespace sluice::runtime
