#include "sluice/autotune/node_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

namespace sluice::autotune {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> Cores(const std::vector<CoreShare>& shares) {
  std::vector<double> cores;
  for (const CoreShare& share : shares) cores.push_back(share.cores);
  return cores;
}

CoreNeed Anywhere(double cores, std::size_t nodes) {
  CoreNeed need{.cores = cores, .nodes = {}};
  for (std::size_t node = 0; node < nodes; ++node) need.nodes.push_back(node);
  return need;
}

TEST(ShareNodes, WhereThereIsEnoughEachHasItsNeedAndAllTheRestIsSpare) {
  const auto shares = ShareNodes({4}, {Anywhere(1, 1), Anywhere(2, 1)});
  EXPECT_THAT(Cores(shares), ElementsAre(1, 2));
  EXPECT_DOUBLE_EQ(shares[0].spare, 1);
  EXPECT_DOUBLE_EQ(shares[1].spare, 1);
}

TEST(ShareNodes, WhereThereIsNotEachHasTheSamePartOfItsNeed) {
  EXPECT_THAT(Cores(ShareNodes({2}, {Anywhere(3, 1), Anywhere(1, 1)})),
              ElementsAre(DoubleNear(1.5, 1e-9), DoubleNear(0.5, 1e-9)));
}

TEST(ShareNodes, WhatOneMayNotUseOthersHave) {
  auto needs = std::vector{Anywhere(4, 1), Anywhere(4, 1)};
  needs[0].most = 0.5;
  EXPECT_THAT(Cores(ShareNodes({2}, needs)), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(1.5, 1e-9)));
}

// Two are held on node 0, the third may go to node 1 as well, and does.
TEST(ShareNodes, OneThatCanGoElsewhereLeavesTheFullNodeToThoseThatCannot) {
  CoreNeed held{.cores = 4, .nodes = {0}};
  CoreNeed free{.cores = 4, .nodes = {0, 1}};
  const auto shares = ShareNodes({4, 4}, {held, held, free});
  EXPECT_THAT(Cores(shares), ElementsAre(DoubleNear(2, 1e-9), DoubleNear(2, 1e-9), DoubleNear(4, 1e-9)));
  EXPECT_NEAR(shares[2].by_node[1], 4, 1e-9);
}

TEST(ShareNodes, AsMuchAsPossibleIsOnTheNearestNode) {
  const CoreNeed first{.cores = 3, .nodes = {1, 0}};
  const CoreNeed second{.cores = 3, .nodes = {0, 1}};
  const auto shares = ShareNodes({4, 4}, {first, second});
  EXPECT_THAT(shares[0].by_node, ElementsAre(0, 3));
  EXPECT_THAT(shares[1].by_node, ElementsAre(3, 0));
}

TEST(ShareNodes, NobodyIsNobodysLoss) {
  EXPECT_TRUE(ShareNodes({4}, {}).empty());
  const auto shares = ShareNodes({4}, {CoreNeed{}, Anywhere(0, 1), Anywhere(8, 1)});
  EXPECT_THAT(Cores(shares), ElementsAre(0, 0, 4));
}

struct Case {
  std::vector<double> room;
  std::vector<CoreNeed> needs;
};

Case Random(std::mt19937_64& random) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  Case made;
  const int nodes = 1 + upto(3), runs = 1 + upto(5);
  for (int n = 0; n < nodes; ++n) made.room.push_back(upto(16));
  for (int r = 0; r < runs; ++r) {
    CoreNeed need{.cores = upto(4) == 0 ? 0.0 : upto(200) / 10.0, .nodes = {}};
    if (upto(2) == 0) need.most = upto(80) / 10.0;
    for (std::size_t n = 0; n < made.room.size(); ++n) {
      if (upto(2) != 0) need.nodes.push_back(n);
    }
    std::ranges::shuffle(need.nodes, random);
    made.needs.push_back(std::move(need));
  }
  return made;
}

double PartOf(const CoreNeed& need, double cores) {
  return need.cores < 1e-9 ? 1 : cores / need.cores;
}

// Whether `run` could have more if those took less that have a greater part.
bool CouldHaveMore(const Case& made, const std::vector<CoreShare>& shares, std::size_t run) {
  const auto part = [&](std::size_t r) { return PartOf(made.needs[r], shares[r].cores); };
  std::vector<bool> reached(made.needs.size(), false);
  std::vector<std::size_t> open{run};
  reached[run] = true;
  std::vector<double> left = made.room;
  for (const CoreShare& share : shares) {
    for (std::size_t n = 0; n < left.size(); ++n) left[n] -= share.by_node[n];
  }
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t node : made.needs[at].nodes) {
      if (left[node] > 1e-6) return true;
      for (std::size_t other = 0; other < made.needs.size(); ++other) {
        if (reached[other] || shares[other].by_node[node] < 1e-6) continue;
        if (part(other) > part(run) + 1e-6) return true;
        reached[other] = true;  // its cores can move to another node of its own
        open.push_back(other);
      }
    }
  }
  return false;
}

TEST(ShareNodes, NobodyCanHaveMoreWithoutOneThatHasNoMoreLosing) {
  const char* given = std::getenv("SLUICE_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "SLUICE_TEST_SEED=" << seed << " repeats this\n";
  std::mt19937_64 random(seed);
  for (int i = 0; i < 5000; ++i) {
    const Case made = Random(random);
    const auto shares = ShareNodes(made.room, made.needs);
    for (std::size_t n = 0; n < made.room.size(); ++n) {
      double used = 0;
      for (const CoreShare& share : shares) used += share.by_node[n];
      ASSERT_LE(used, made.room[n] + 1e-6) << "case " << i << ": node " << n << " is overfull";
    }
    for (std::size_t r = 0; r < made.needs.size(); ++r) {
      const CoreNeed& need = made.needs[r];
      ASSERT_LE(shares[r].cores, std::min(need.cores, need.most) + 1e-6) << "case " << i << ", run " << r;
      if (shares[r].cores >= std::min(need.cores, need.most) - 1e-6) continue;
      ASSERT_FALSE(CouldHaveMore(made, shares, r)) << "case " << i << ", run " << r;
    }
  }
}

}  // namespace
}  // namespace sluice::autotune
