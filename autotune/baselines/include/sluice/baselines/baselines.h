// The tuning rules that other systems publish, each re-implemented from its description as a Controller, so
// that they meet the same plants as ours. docs/baselines.md has every rule with its constants, sources and
// the readings chosen where the description leaves one open.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sluice/autotune/controller.h"
#include "sluice/base/error.h"

namespace sluice::baselines {

struct BaselineInfo {
  std::string_view name;         // for MakeBaseline(), e.g. "tfdata-hill-climb"
  std::string_view description;  // one line
  std::string_view source;       // where the rule was published
};

// In the order of docs/baselines.md. Static storage.
[[nodiscard]] std::span<const BaselineInfo> Baselines();

// `seed` matters to the rules that draw: random-walk and cedar. The error names the nearest baseline.
[[nodiscard]] Result<std::unique_ptr<autotune::Controller>> MakeBaseline(std::string_view name,
                                                                         std::uint64_t seed);

}  // namespace sluice::baselines
