// `sluice data make`: input data in real file formats.
#pragma once
#include <cstdint>
#include <string>

namespace sluice::app {

struct DataOptions {
  std::string kind;  // "cifar10" or "imagefolder"
  std::string out;
  std::uint64_t count = 0;  // 0: the kind's default
  std::uint64_t seed = 1;
  int classes = 10;
  bool quiet = false;
};

[[nodiscard]] int MakeData(const DataOptions& options);

}  // namespace sluice::app
