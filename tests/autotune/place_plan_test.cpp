#include "sluice/autotune/place_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "place/place_problem.h"

namespace sluice::autotune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kMiB = 1 << 20;

// `nodes` of so many cores each; `per_package` of them are nearer to each other.
Topology Machine(int nodes, int cores, int per_package = 1) {
  Topology machine;
  machine.cpus = machine.allowed = CpuSet::Range(0, nodes * cores - 1);
  for (int i = 0; i < nodes; ++i) {
    machine.nodes.push_back({i, MemoryTier::kDram, 64_GiB, CpuSet::Range(i * cores, (i + 1) * cores - 1)});
    machine.distances.emplace_back();
    for (int j = 0; j < nodes; ++j)
      machine.distances.back().push_back(i == j ? 10 : i / per_package == j / per_package ? 12 : 32);
  }
  return machine;
}

void AddGpu(Topology& machine, std::size_t node) {
  machine.devices.push_back({DeviceKind::kGpu, "0000:81:00.0", "cuda0", "", node});
}

struct Chain {
  Graph graph;
  PlaceNeeds needs;
};

// Ops named a, b, c, ...; bytes[i] leave op i, the last ones to the consumer.
Chain ChainOf(const std::vector<double>& cores, const std::vector<double>& mib_per_second) {
  Chain chain;
  for (std::size_t op = 0; op < cores.size(); ++op) {
    OpInfo info;
    info.name = std::string(1, static_cast<char>('a' + op % 26)) + (op < 26 ? "" : std::to_string(op / 26));
    chain.graph.ops.push_back(info);
    const auto to = op + 1 < cores.size() ? std::optional(OpId(op + 1)) : std::nullopt;
    chain.graph.connectors.push_back({info.name, OpId(op), to});
    chain.needs.bytes.push_back(Rate{mib_per_second[op] * kMiB});
  }
  chain.needs.cores = cores;
  return chain;
}

PlacePlan Plan(const Topology& machine, const Chain& chain) {
  return PlanPlaces(machine, chain.graph, chain.needs);
}

// "a b: 0, c: 1": ops by the number of their node, "0+1" where an op has several.
std::string Homes(const Topology& machine, const Chain& chain, const PlacePlan& plan) {
  std::string text, before;
  for (std::size_t op = 0; op < plan.homes.size(); ++op) {
    std::string nodes;
    for (const NodeShare& share : plan.homes[op])
      nodes += (nodes.empty() ? "" : "+") + std::to_string(machine.nodes[share.node].number);
    text += op == 0 ? "" : nodes == before ? " " : fmt::format(": {}, ", before);
    text += chain.graph.ops[op].name;
    before = nodes;
  }
  return text + (before.empty() ? "" : ": " + before);
}

std::vector<double> UsedByNode(const Topology& machine, const PlacePlan& plan) {
  std::vector<double> used(machine.nodes.size());
  for (const auto& home : plan.homes) {
    for (const NodeShare& share : home) used[share.node] += share.cores;
  }
  return used;
}

TEST(PlacePlan, TwoPackagesOf64CoresKeepAllOnTheNodeOfTheGpuBecauseItFits) {
  Topology machine = Machine(2, 64);
  AddGpu(machine, 1);
  Chain chain = ChainOf({2, 40, 6}, {100, 900, 600});
  chain.needs.device = 0;
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a b c: 1");
  EXPECT_EQ(plan.cross_bytes, Rate{0});
  EXPECT_EQ(plan.because,
            "all ops fit node 1 (48.0 of 64 cores), where cuda0 is: 0 B/s between nodes, unbound 800 MiB/s");
}

TEST(PlacePlan, TwoPackagesCutTheChainAtItsThinnestConnectorBecauseOneNodeIsTooSmall) {
  Topology machine = Machine(2, 64);
  AddGpu(machine, 0);
  Chain chain = ChainOf({4, 30, 40, 10}, {200, 900, 600, 600});
  chain.needs.device = 0;
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a b: 1, c d: 0");
  EXPECT_THAT(plan.because, HasSubstr("900 MiB/s between nodes"));
}

TEST(PlacePlan, TwoPackagesLeaveTheLightSourceAloneBecauseItsConnectorIsThin) {
  const Topology machine = Machine(2, 64);
  const Chain chain = ChainOf({8, 60, 4}, {50, 900, 600});
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(plan.cross_bytes, Rate{50 * kMiB});
  ASSERT_EQ(plan.homes.size(), 3U);
  EXPECT_NE(plan.homes[0].at(0).node, plan.homes[1].at(0).node);
  EXPECT_EQ(plan.homes[1].at(0).node, plan.homes[2].at(0).node);
}

TEST(PlacePlan, ClusteredPackagesTakeTheSiblingOfTheGpusNodeBecauseItIsNearer) {
  Topology machine = Machine(4, 16, 2);
  AddGpu(machine, 2);
  Chain chain = ChainOf({2, 14, 12}, {100, 500, 500});
  chain.needs.device = 0;
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a b: 3, c: 2");
}

TEST(PlacePlan, EightNodesFillTwoBecauseTwoAreEnough) {
  Topology machine = Machine(8, 8);
  AddGpu(machine, 5);
  Chain chain = ChainOf({1, 6, 4, 3}, {10, 400, 300, 300});
  chain.needs.device = 0;
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(plan.cross_bytes, Rate{400 * kMiB});
  EXPECT_EQ(plan.homes[3], std::vector<NodeShare>({{5, 3}}));
}

TEST(PlacePlan, AnOpLargerThanANodeHasSeveralBecauseItFitsNone) {
  const Topology machine = Machine(4, 8);
  const Chain chain = ChainOf({1, 20, 1}, {100, 400, 400});
  const PlacePlan plan = Plan(machine, chain);
  ASSERT_EQ(plan.homes.size(), 3U);
  EXPECT_GE(plan.homes[1].size(), 3U);
  for (const double used : UsedByNode(machine, plan)) EXPECT_LE(used, 8 + 1e-6);
}

TEST(PlacePlan, MoreWorkThanCoresIsShortenedBecauseNoNodeMayBeOverfull) {
  Topology machine = Machine(2, 8);
  const Chain chain = ChainOf({4, 24, 4}, {100, 400, 400});
  const PlacePlan plan = Plan(machine, chain);
  ASSERT_THAT(plan.homes, testing::Not(IsEmpty()));
  for (const double used : UsedByNode(machine, plan)) EXPECT_LE(used, 8 + 1e-6);
  EXPECT_THAT(plan.because, HasSubstr("ops want 32.0 of 16 cores, each gets its share"));
}

TEST(PlacePlan, HybridCoresOfOneNodeAreLeftToTheKernelBecauseThereIsNoOtherNode) {
  Topology machine = Machine(1, 24);
  machine.core_kinds = {{"IntelAtom", CpuSet::Range(16, 23)}, {"IntelCore", CpuSet::Range(0, 15)}};
  const PlacePlan plan = Plan(machine, ChainOf({2, 8}, {100, 100}));
  EXPECT_THAT(plan.homes, IsEmpty());
  EXPECT_THAT(plan.because, HasSubstr("one NUMA node"));
}

TEST(PlacePlan, HbmAndCxlNodesGetNoOpBecauseThreadsLiveByDram) {
  Topology machine = Machine(2, 8);
  machine.nodes.push_back({2, MemoryTier::kHbm, 16_GiB, CpuSet::Range(0, 7)});
  machine.nodes.push_back({3, MemoryTier::kCxl, 512_GiB, {}});
  machine.distances.clear();
  const Chain chain = ChainOf({6, 6}, {100, 100});
  const PlacePlan plan = Plan(machine, chain);
  for (const auto& home : plan.homes) EXPECT_LT(home.at(0).node, 2U);
}

TEST(PlacePlan, CoresThatOthersTakeAndThatAreNotAllowedAreNoRoom) {
  Topology machine = Machine(2, 8);
  machine.allowed = CpuSet::Range(0, 11);
  Chain chain = ChainOf({3, 3}, {100, 100});
  chain.needs.taken = {5, 0};
  const PlacePlan plan = Plan(machine, chain);
  const auto used = UsedByNode(machine, plan);
  EXPECT_LE(used[0], 3);
  EXPECT_LE(used[1], 4);
}

TEST(PlacePlan, TwoInputsOfAZipStayWithTheirTakerWhereTheyFit) {
  Topology machine = Machine(2, 8);
  Chain chain = ChainOf({3, 3, 2}, {500, 400, 900});
  chain.graph.connectors[0].to = OpId(2);  // a and b both feed c
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(plan.cross_bytes, Rate{0});
  chain.needs.cores = {5, 5, 2};
  EXPECT_EQ(Plan(machine, chain).cross_bytes, Rate{400 * kMiB});
}

TEST(PlacePlan, APinnedOpDrawsItsNeighboursBecauseItStaysWhereItIs) {
  const Topology machine = Machine(2, 16);
  Chain chain = ChainOf({2, 4, 2}, {500, 400, 300});
  chain.needs.pinned = {{}, {1}, {}};
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a b c: 1");
  EXPECT_NEAR(plan.unbound_bytes.per_second, 900 * kMiB * 16 / (16 + 12), 1)
      << "of what may run anywhere more is where the pinned op leaves more room";
}

TEST(PlacePlan, APinnedOpTakesItsCoresOnlyThereBecauseItCannotGiveWay) {
  const Topology machine = Machine(2, 8);
  Chain chain = ChainOf({7, 3, 3}, {100, 400, 300});
  chain.needs.pinned = {{0}, {}, {}};
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a: 0, b c: 1");
  chain.needs.pinned = {{0}, {}, {0}};
  EXPECT_EQ(Homes(machine, chain, Plan(machine, chain)), "a: 0, b: 1, c: 0")
      << "more than there is, as was asked for";
}

TEST(PlacePlan, AnOpThatIsPinnedToAllNodesSendsHalfAcrossWhereverItsTakerIs) {
  const Topology machine = Machine(2, 16);
  Chain chain = ChainOf({4, 2}, {400, 300});
  chain.needs.pinned = {{0, 1}, {}};
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(plan.cross_bytes, Rate{200 * kMiB});
  EXPECT_EQ(plan.homes[0], std::vector<NodeShare>({{0, 2}, {1, 2}}));
}

TEST(PlacePlan, NothingIsLeftToPlanWhereAllOpsArePinned) {
  const Topology machine = Machine(2, 4);
  Chain chain = ChainOf({8, 8}, {400, 300});
  chain.needs.pinned = {{0}, {1}};
  const PlacePlan plan = Plan(machine, chain);
  EXPECT_EQ(Homes(machine, chain, plan), "a: 0, b: 1");
  EXPECT_EQ(plan.cross_bytes, plan.unbound_bytes);
}

std::mt19937 SeededRandom() {
  const char* given = std::getenv("SLUICE_TEST_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device()();
  std::printf("SLUICE_TEST_SEED=%u repeats this\n", seed);
  return std::mt19937(seed);
}

// The least bytes of a chain cut into at most so many runs of so many cores.
double BestRuns(const Chain& chain, std::size_t runs, double room) {
  const std::size_t ops = chain.needs.cores.size();
  std::vector<double> best(ops + 1, 1e300);
  best[0] = 0;
  double least = 1e300;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<double> next(ops + 1, 1e300);
    for (std::size_t first = 0; first < ops; ++first) {
      double cores = 0;
      for (std::size_t end = first + 1; end <= ops; ++end) {
        cores += chain.needs.cores[end - 1];
        if (cores > room) break;
        next[end] =
            std::min(next[end], best[first] + (end < ops ? chain.needs.bytes[end - 1].per_second : 0));
      }
    }
    best = next;
    least = std::min(least, best[ops]);
  }
  return least;
}

TEST(PlacePlan, SixtyFourOpsOnSixteenNodesAreNoWorseThanTheBestCutIntoRuns) {
  std::mt19937 random = SeededRandom();
  const Topology machine = Machine(16, 8);
  for (int round = 0; round < 5; ++round) {
    std::vector<double> cores, bytes;
    for (int op = 0; op < 64; ++op) {
      cores.push_back(std::uniform_real_distribution(0.2, 3.0)(random));
      bytes.push_back(std::uniform_real_distribution(1.0, 1000.0)(random));
    }
    const Chain chain = ChainOf(cores, bytes);
    const PlacePlan plan = Plan(machine, chain);
    EXPECT_LE(plan.cross_bytes.per_second, BestRuns(chain, 16, 8) * (1 + 1e-9));
    for (const double used : UsedByNode(machine, plan)) EXPECT_LE(used, 8 + 1e-6);
  }
}

// All assignments that overfill no place, one after the other.
double BruteForce(const internal::PlaceProblem& problem) {
  const std::size_t pieces = problem.pieces.size(), places = problem.room.size();
  double least = -1;
  std::vector<std::size_t> at(pieces, 0);
  for (;;) {
    std::vector<double> used(places);
    for (std::size_t piece = 0; piece < pieces; ++piece) used[at[piece]] += problem.pieces[piece].cores;
    bool fits = std::ranges::all_of(problem.pieces, [&](const internal::Piece& piece) {
      return !piece.fixed || *piece.fixed == at[static_cast<std::size_t>(&piece - problem.pieces.data())];
    });
    for (std::size_t place = 0; place < places; ++place)
      fits = fits && used[place] <= problem.room[place] + 1e-9;
    const double crossing = internal::CostOf(problem, at).crossing;
    if (fits && (least < 0 || crossing < least)) least = crossing;
    std::size_t next = 0;
    while (next < pieces && ++at[next] == places) at[next++] = 0;
    if (next == pieces) return least;
  }
}

internal::PlaceProblem RandomProblem(std::mt19937& random) {
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  internal::PlaceProblem problem;
  const std::size_t places = 2 + below(2), pieces = 2 + below(5);
  for (std::size_t i = 0; i < places; ++i) {
    problem.room.push_back(4 + below(5));
    problem.distance.emplace_back(places, 20);
    problem.distance.back()[i] = 10;
  }
  if (below(2) == 0) problem.device = below(static_cast<unsigned>(places));
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    problem.pieces.push_back({piece, 0.5 + below(8) * 0.5});
    if (below(4) == 0) problem.pieces.back() = {piece, 0, 1, below(static_cast<unsigned>(places))};
    problem.flows.emplace_back();
    problem.to_device.push_back(piece == 0 ? 100 : 0);
    if (piece > 0) problem.flows.back().push_back({piece - 1, 1.0 + below(100)});
    if (piece > 1 && below(3) == 0)
      problem.flows.back().push_back({below(static_cast<unsigned>(piece - 1)), 50});
  }
  return problem;
}

TEST(PlacePlan, NeverSendsMoreThanTheBestOfAllAssignmentsOfRandomGraphs) {
  std::mt19937 random = SeededRandom();
  for (int round = 0; round < 300; ++round) {
    const internal::PlaceProblem problem = RandomProblem(random);
    const double least = BruteForce(problem);
    const auto found = internal::FindPlaces(problem);
    ASSERT_EQ(found.has_value(), least >= 0) << "round " << round;
    if (!found) continue;
    ASSERT_LE(internal::CostOf(problem, *found).crossing, least + 1e-6) << "round " << round;
  }
}

}  // namespace
}  // namespace sluice::autotune
