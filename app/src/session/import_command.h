// `sluice import`: what another system has recorded as a session of ours.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace sluice::app {

struct ImportOptions {
  std::string folder;
  std::string output;  // file
  std::optional<int> rank;
  std::optional<std::uint32_t> batch_size;
};

// Returns the exit status.
[[nodiscard]] int ImportMindSporeProfile(const ImportOptions& options);

}  // namespace sluice::app
