// Comparison: two recorded runs side by side, as values. Whoever reads the sessions fills it in; rates, and
// how far a ratio can be trusted, are measured where runs are compared (the exporters).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

inline constexpr const char* kRecordFirst =
    "only recorded runs can be compared; record this one with --record FILE of sluice run or sluice wrap";

// One of the two.
struct ComparedRun {
  Scene scene{};               // its figures are of the settled part, from scene.from to scene.now.at
  std::optional<Rate> rate{};  // over that part: rows that the consumer took, or batches
  Curve rates{};               // of the same over the whole run, since its start
  Nanos length{0};             // of the whole run
  int changes = 0;             // applied to it
};

// One pipeline in both runs.
struct ComparedPair {
  std::string name{};                   // with its rank
  std::string sentence{};               // what B does otherwise, with the interval
  bool in_batches = false;              // rates count batches, as the size of one is not known
  std::optional<double> ratio{};        // B's rate over A's; nullopt: one of them made none
  std::optional<double> low{}, high{};  // its 95 % interval; nullopt: not known
  ComparedRun a{}, b{};
};

struct Comparison {
  std::string a{}, b{};                         // the files, as short as tells them apart
  std::vector<ComparedPair> pairs{};            // not empty
  std::size_t chosen = 0;                       // of pairs: looked at first
  std::vector<std::string> only_a{}, only_b{};  // names of the other pipelines
};

}  // namespace sluice::ui
