#include "sluice/base/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Placement, ASetOfNodesIsItsOwnNumberAndAnywhereIsZero) {
  EXPECT_EQ(KnobValue({}), 0);
  EXPECT_EQ(KnobValue(OnNode(1)), 2);
  EXPECT_EQ(KnobValue({0b101, {}}), 5);
  EXPECT_EQ(KnobValue({0, MemoryPolicy::kBind}), 0) << "anywhere has no policy";
}

TEST(Placement, ComesBackFromItsNumber) {
  for (const auto memory :
       {MemoryPolicy::kPreferred, MemoryPolicy::kLocal, MemoryPolicy::kBind, MemoryPolicy::kInterleave}) {
    for (const std::uint64_t nodes : {std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{1} << 47}) {
      const Placement placement{nodes, memory};
      EXPECT_EQ(PlacementOf(KnobValue(placement)), placement);
    }
  }
}

TEST(Placement, NumbersThatNobodyWroteAreAnywhereOrLoseWhatMeansNothing) {
  EXPECT_EQ(PlacementOf(-1), Placement{});
  EXPECT_EQ(PlacementOf(std::int64_t{3} << Placement::kNodes), Placement{}) << "a policy without nodes";
  EXPECT_EQ(PlacementOf(std::int64_t{1} << 62 | 1), OnNode(0));
}

TEST(Placement, IsReadAsItIsTyped) {
  EXPECT_EQ(ParsePlacement("anywhere").value(), Placement{});
  EXPECT_EQ(ParsePlacement("1").value(), OnNode(1));
  EXPECT_EQ(ParsePlacement("0-1,3:interleave").value(), (Placement{0b1011, MemoryPolicy::kInterleave}));
  EXPECT_EQ(ParsePlacement("2:local").value(), (Placement{4, MemoryPolicy::kLocal}));
}

TEST(Placement, SaysWhatIsWrongWithWhatWasTyped) {
  for (const auto& [text, what] : {std::pair{"", "write a node"},
                                   {"one", "write a node"},
                                   {":bind", "write a node"},
                                   {"1-0", "write a node"},
                                   {"48", "only nodes 0 to 47"},
                                   {"1:near", "preferred, local, bind or interleave"},
                                   {"1:", "preferred, local, bind or interleave"}}) {
    const auto parsed = ParsePlacement(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(what)) << text;
  }
}

TEST(Placement, ReadsAsWords) {
  EXPECT_EQ(PlacementText({}), "anywhere");
  EXPECT_EQ(PlacementText(OnNode(1)), "node 1");
  EXPECT_EQ(PlacementText({0b1011, MemoryPolicy::kInterleave}), "nodes 0-1,3, memory interleaved");
  EXPECT_EQ(KnobValueText(KnobKind::kPlacement, 2), "node 1");
  EXPECT_EQ(KnobValueText(KnobKind::kWorkers, 2), "2");
  EXPECT_THAT(NodesOf({0b1011, {}}), ElementsAre(0, 1, 3));
}

}  // namespace
}  // namespace sluice
