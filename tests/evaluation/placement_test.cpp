// Where the controller puts ops on a machine of two nodes, and what it leaves alone.
#include "sluice/base/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/autotune/auto_tune.h"
#include "sluice/simulator/sim_plant.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Decoding cannot have more than three workers, and so limits the run on a machine of sixteen cores.
simulator::SimScenario TwoNodes(double remote_penalty) {
  simulator::SimScenario s;
  s.duration = seconds(180);
  s.epochs = 0;
  s.machine = {.cores = 16, .nodes = 2, .remote_penalty = remote_penalty, .placement = true};
  s.machine.noise = 0.02;
  s.ops.push_back({.name = "list", .kind = simulator::SimKind::kRange, .count = 1'000'000'000});
  const auto add = [&](const char* name, milliseconds mean, int most) {
    s.ops.push_back({.name = name,
                     .burn = {.kind = Distribution::Kind::kExponential, .mean = mean},
                     .allocate = {600'000},
                     .max_workers = most});
  };
  add("read", milliseconds(1), 64);
  add("decode", milliseconds(4), 3);
  add("augment", milliseconds(3), 64);
  return s;
}

class Tuned {
 public:
  explicit Tuned(simulator::SimScenario scenario) : plant_(std::move(scenario)) {}

  void Run(Nanos length) {
    for (const MonoTime until = plant_.Truth().now + length; plant_.Truth().now < until;) {
      Snapshot seen = plant_.Sense();
      for (Knob& knob : seen.knobs) {
        if (knob.id == pinned_) knob.holder = Holder::kUser;
      }
      const Decision decision = controller_->Decide(seen);
      plant_.Act(decision);
      if (decision.id == 0) continue;
      for (const KnobChange& change : decision.changes) places_ += change.knob.kind == KnobKind::kPlacement;
    }
  }
  // Consumer items per second from now on.
  [[nodiscard]] double Rate(Nanos length) {
    const std::uint64_t before = plant_.Truth().items;
    Run(length);
    return static_cast<double>(plant_.Truth().items - before) / Seconds(length);
  }
  // Of each op.
  [[nodiscard]] std::vector<std::string> Places() {
    std::vector<std::string> places;
    for (const Knob& knob : plant_.Sense().knobs) {
      if (knob.id.kind == KnobKind::kPlacement) places.push_back(PlacementText(PlacementOf(knob.value)));
    }
    return places;
  }
  // By somebody who does not keep the knobs in his hands.
  void Place(const std::vector<int>& nodes) {
    Decision decision;
    for (std::uint32_t op = 0; op < nodes.size(); ++op)
      decision.changes.push_back({{KnobKind::kPlacement, op}, 0, KnobValue(OnNode(nodes[op]))});
    plant_.Act(decision);
  }
  // By somebody who does: only that op.
  void Pin(std::uint32_t op, int node) {
    pinned_ = {KnobKind::kPlacement, op};
    Decision decision;
    decision.changes.push_back({*pinned_, 0, KnobValue(OnNode(node))});
    plant_.Act(decision);
  }
  [[nodiscard]] int changes_of_place() const { return places_; }

 private:
  simulator::SimPlant plant_;
  std::unique_ptr<autotune::Controller> controller_ = autotune::MakeAutoTune();
  std::optional<KnobId> pinned_;
  int places_ = 0;
};

// Three decoders of 4 ms; roaming, half of their items are remote and take 8.
TEST(Placement, PutsOpsOnOneNodeWhereRemoteMemoryIsSlowAndKeepsThemThere) {
  Tuned tuned(TwoNodes(2));
  tuned.Run(seconds(60));
  EXPECT_GE(tuned.Rate(seconds(60)), 0.97 * 3 / 0.004);
  EXPECT_THAT(tuned.Places(), testing::AnyOf(testing::Each("node 0"), testing::Each("node 1")));
  EXPECT_LE(tuned.changes_of_place(), 4) << "once is enough";
}

TEST(Placement, IsTakenBackWhereItGainsNothing) {
  Tuned tuned(TwoNodes(1));
  tuned.Run(seconds(120));
  EXPECT_THAT(tuned.Places(), testing::Each("anywhere"));
  EXPECT_EQ(tuned.changes_of_place(), 8) << "there and back, and not again";
}

TEST(Placement, FindsTheWayOutOfABadOne) {
  Tuned tuned(TwoNodes(2));
  tuned.Place({0, 0, 1, 0});
  tuned.Run(seconds(60));
  EXPECT_GE(tuned.Rate(seconds(60)), 0.97 * 3 / 0.004);
  EXPECT_THAT(tuned.Places(), testing::AnyOf(testing::Each("node 0"), testing::Each("node 1")));
}

TEST(Placement, GoesWhereAPinnedOpIs) {
  for (const int node : {0, 1}) {
    Tuned tuned(TwoNodes(2));
    tuned.Pin(2, node);
    tuned.Run(seconds(60));
    EXPECT_GE(tuned.Rate(seconds(60)), 0.97 * 3 / 0.004);
    EXPECT_EQ(tuned.Places()[1], "node " + std::to_string(node)) << "what feeds it";
    EXPECT_EQ(tuned.Places()[2], "node " + std::to_string(node));
  }
}

}  // namespace
}  // namespace sluice::evaluation
