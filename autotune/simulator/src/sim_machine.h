// SimMachine: the clock, the cores of every node, the storage and the timers; says whose turn is next.
// One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "shared_server.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// A piece of work of somebody: which rank, and which of its jobs.
struct SimToken {
  std::uint32_t rank = 0;
  std::uint32_t job = 0;
};

class SimMachine {
 public:
  SimMachine(const SimScenario& scenario, double cores);

  [[nodiscard]] double now() const { return now_; }
  // Each of these ends with Next() returning the token.
  void Wait(SimToken token, double seconds);
  void Compute(SimToken token, int node, double seconds);
  void Read(SimToken token, double seconds);
  // Advances to the next end of something and says whose; nullopt: there is none until `until`, which is now.
  [[nodiscard]] std::optional<SimToken> Next(double until);

  void SetCores(double cores);
  [[nodiscard]] int nodes() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] const SharedServer& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  // Of these nodes (bit n: node n; 0: all) the one with the fewest jobs; which of several, goes round.
  [[nodiscard]] int QuietestNode(std::uint64_t among);
  // Drops all that is under way.
  void Clear();

 private:
  struct Timer {
    double at;
    std::uint64_t order;
    std::uint32_t token;
    bool operator>(const Timer& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  [[nodiscard]] SharedServer* Earliest(double& at);

  double now_ = 0;
  std::vector<SharedServer> nodes_;
  SharedServer storage_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t order_ = 0;
  std::uint32_t round_ = 0;
};

}  // namespace sluice::simulator
