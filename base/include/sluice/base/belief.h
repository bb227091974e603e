// Belief: one figure that a controller holds for true, for people who want to know why it decided. A plain
// value.
#pragma once
#include <string>

namespace sluice {

// docs/controller.md lists the names and units of those that Sluice's controller has.
struct Belief {
  std::string name;  // "decode.cpu"
  double value = 0;  // not a number: not known
};

}  // namespace sluice
