// The baseline of that name, which must exist.
#pragma once
#include <memory>
#include <string_view>

#include "sluice/base/check.h"
#include "sluice/baselines/baselines.h"

namespace sluice::baselines::testing {

inline std::unique_ptr<autotune::Controller> Made(std::string_view name, std::uint64_t seed = 1) {
  Result<std::unique_ptr<autotune::Controller>> made = MakeBaseline(name, seed);
  SLUICE_CHECK(made.has_value());
  return std::move(*made);
}

}  // namespace sluice::baselines::testing
