// How a scenario file writes a Distribution and a Contention (base/distribution.h). Pure functions.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/distribution.h"
#include "sluice/toml/toml_fields.h"

namespace sluice::toml {

// "80ms", or {dist = "lognormal", mean = "80ms", cv = 0.2}. Whether it makes sense is for WhatIsWrong.
[[nodiscard]] Result<void> ReadDistribution(const TomlValue& value, Distribution& out);
// {sigma = 0.1, kappa = 0.01} or {table = [1, 1.5]}; the same holds.
[[nodiscard]] Result<void> ReadContention(const TomlValue& value, Contention& out);

// The keys that these know, for the tests that hold the documentation to them.
[[nodiscard]] std::vector<std::string> DistributionKeys();
[[nodiscard]] std::vector<std::string> ContentionKeys();

}  // namespace sluice::toml
