#include "sim_machine.h"

#include <algorithm>

namespace sluice::simulator {
namespace {

constexpr std::uint32_t kJobBits = 24;

std::uint32_t Pack(SimToken token) {
  return token.rank << kJobBits | token.job;
}

SimToken Unpack(std::uint32_t packed) {
  return {packed >> kJobBits, packed & ((1u << kJobBits) - 1)};
}

SpeedCurve StorageCurve(const SimStorage& storage) {
  const std::vector<double> at_full_speed = {1.0};
  return {1, storage.parallelism.empty() ? at_full_speed : storage.parallelism};
}

}  // namespace

SimMachine::SimMachine(const SimScenario& scenario, double cores)
    : nodes_(static_cast<std::size_t>(scenario.machine.nodes), SharedServer(SpeedCurve{})),
      storage_(StorageCurve(scenario.storage)) {
  SetCores(cores);
}

void SimMachine::SetCores(double cores) {
  const double each = cores / static_cast<double>(nodes_.size());
  for (SharedServer& node : nodes_) node.SetCurve(now_, {each, {}});
}

void SimMachine::Wait(SimToken token, double seconds) {
  timers_.push({now_ + seconds, order_++, Pack(token)});
}

void SimMachine::Compute(SimToken token, int node, double seconds) {
  nodes_[static_cast<std::size_t>(node)].Add(now_, Pack(token), seconds);
}

void SimMachine::Read(SimToken token, double seconds) {
  storage_.Add(now_, Pack(token), seconds);
}

int SimMachine::QuietestNode(std::uint64_t among) {
  if (nodes_.size() == 1) return 0;
  const std::size_t first = round_++ % nodes_.size();
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::size_t n = (first + i) % nodes_.size();
    if (among != 0 && (among >> n & 1) == 0) continue;
    if (!best || nodes_[n].jobs() < nodes_[*best].jobs()) best = n;
  }
  return static_cast<int>(best.value_or(first));
}

SharedServer* SimMachine::Earliest(double& at) {
  SharedServer* earliest = &storage_;
  for (SharedServer& node : nodes_) {
    if (node.NextAt() < earliest->NextAt()) earliest = &node;
  }
  at = earliest->NextAt();
  return earliest;
}

std::optional<SimToken> SimMachine::Next(double until) {
  double served_at = 0;
  SharedServer* server = Earliest(served_at);
  const bool timer = !timers_.empty() && timers_.top().at <= served_at;
  const double at = timer ? timers_.top().at : served_at;
  if (at > until) {
    now_ = std::max(now_, until);
    return std::nullopt;
  }
  now_ = std::max(now_, at);
  if (!timer) return Unpack(server->Finish());
  const std::uint32_t token = timers_.top().token;
  timers_.pop();
  return Unpack(token);
}

void SimMachine::Clear() {
  for (SharedServer& node : nodes_) node.Clear(now_);
  storage_.Clear(now_);
  timers_ = {};
}

}  // namespace sluice::simulator
