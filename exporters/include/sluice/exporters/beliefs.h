// What the controller of a run believed, look by look, so that a decision can be plotted against it.
// Plain values and pure functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/belief.h"
#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::exporters {

struct Beliefs {
  struct Row {
    Nanos at{0};                 // since the start
    std::uint64_t decision = 0;  // made then; 0: none
    std::vector<double> values{};
  };
  std::vector<std::string> columns{};
  std::vector<Row> rows{};

  // Nothing, where there is nothing to add.
  void Add(Nanos since_start, std::uint64_t decision, const std::vector<Belief>& state);
};

// Of each moment that has some. No rows: the run was not tuned, or recorded by an older Sluice.
[[nodiscard]] Result<Beliefs> BeliefsOf(const SessionReader& session, std::size_t pipeline);

// CSV (RFC 4180): seconds, decision, then a column each; empty where nothing is known, inf where nothing
// limits.
[[nodiscard]] std::string BeliefsCsv(const Beliefs& beliefs);

}  // namespace sluice::exporters
