// `sluice topology`: what the machine is made of, and who runs where on it.
#pragma once
#include <string>

namespace sluice::app {

struct TopologyOptions {
  int pid = 0;            // 0: the measured processes
  std::string xml;        // a file in this machine's place
  std::string synthetic;  // a description in its place
  bool json = false;
};

[[nodiscard]] int ShowTopology(const TopologyOptions& options);

}  // namespace sluice::app
