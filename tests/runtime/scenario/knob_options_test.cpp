#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/runtime/scenario.h"

namespace sluice::runtime {
namespace {

using testing::HasSubstr;

PipelineDescription Train() {
  auto p = Describe("train");
  p.ImageFolder("photos").Name("read");
  p.Map("decode", {image::Decode{}});
  p.Shuffle(10);
  p.Batch(4);
  return p;
}

TEST(SetKnob, ChangesTheKnobItNamesAndNothingElse) {
  PipelineDescription p = Train();
  ASSERT_TRUE(SetKnob(p, "decode.workers=4"));
  ASSERT_TRUE(SetKnob(p, "read.capacity=100"));
  EXPECT_EQ(p.ops[1].workers, 4);
  EXPECT_EQ(p.ops[0].capacity, 100);
  EXPECT_EQ(p.ops[0].workers, 1);
  EXPECT_EQ(p.ops[1].capacity, 16);
  EXPECT_FALSE(p.ops[1].pin_workers);
}

TEST(PinKnob, PinsTheKnobItNames) {
  PipelineDescription p = Train();
  ASSERT_TRUE(PinKnob(p, "decode.workers"));
  ASSERT_TRUE(PinKnob(p, "batch.capacity"));
  EXPECT_TRUE(p.ops[1].pin_workers);
  EXPECT_FALSE(p.ops[1].pin_capacity);
  EXPECT_TRUE(p.ops[3].pin_capacity);
}

TEST(BoundKnob, SetsBothBoundsAndMovesTheValueInside) {
  PipelineDescription p = Train();
  ASSERT_TRUE(BoundKnob(p, "decode.workers=2..8"));
  EXPECT_EQ(p.ops[1].min_workers, 2);
  EXPECT_EQ(p.ops[1].max_workers, 8);
  EXPECT_EQ(p.ops[1].workers, 2);
  ASSERT_TRUE(BoundKnob(p, "decode.capacity=4..8"));
  EXPECT_EQ(p.ops[1].capacity, 8);
  ASSERT_TRUE(BoundKnob(p, "read.workers=3"));
  EXPECT_EQ(p.ops[0].min_workers, 3);
  EXPECT_EQ(p.ops[0].max_workers, 3);
  EXPECT_TRUE(BoundKnob(p, "shuffle.workers=1..8"));
  EXPECT_TRUE(Validate(p));
}

TEST(SetKnob, TakesAPlacementInWords) {
  PipelineDescription p = Train();
  ASSERT_TRUE(SetKnob(p, "decode.placement=0-1:interleave"));
  EXPECT_EQ(p.ops[1].placement, (Placement{3, MemoryPolicy::kInterleave}));
  EXPECT_FALSE(p.ops[1].pin_placement);
  ASSERT_TRUE(PinKnob(p, "decode.placement"));
  EXPECT_TRUE(p.ops[1].pin_placement);
  ASSERT_TRUE(SetKnob(p, "decode.placement=anywhere"));
  EXPECT_EQ(p.ops[1].placement, Placement{});
}

TEST(SetKnob, TakesCpus) {
  PipelineDescription p = Train();
  ASSERT_TRUE(SetKnob(p, "decode.cpus=0-1,4"));
  EXPECT_EQ(CpuListText(p.ops[1].cpus), "0-1,4");
}

struct Refused {
  const char* option;
  const char* message;
};

using Option = Result<void> (*)(PipelineDescription&, std::string_view);

void ExpectRefused(Option option, const std::vector<Refused>& cases) {
  for (const auto& [text, message] : cases) {
    PipelineDescription p = Train();
    const auto done = option(p, text);
    ASSERT_FALSE(done.has_value()) << text;
    EXPECT_THAT(done.error().message, HasSubstr(message)) << text;
  }
}

TEST(SetKnob, RefusesWhatCannotBeAndSaysWhatCan) {
  ExpectRefused(SetKnob, {{"decode.workers", "has no '='"},
                          {"workers=4", "write OP.workers, OP.capacity or OP.placement"},
                          {"decode.placement=left", "decode.placement: 'left': write a node"},
                          {"decode.cpus=all", "decode.cpus: 'all': write CPUs, such as 4 or 0-3,8"},
                          {"decode.cpus=", "write CPUs"},
                          {"decode.placement=1:far", "preferred, local, bind or interleave"},
                          {"decod.placement=1", "did you mean 'decode'?"},
                          {"decod.workers=4", "did you mean 'decode'?"},
                          {"zzzzzzzz.workers=4", "there are: read, decode, shuffle, batch"},
                          {"decode.worker=4", "did you mean 'workers'?"},
                          {"decode.workers=four", "'four' is not a whole number"},
                          {"decode.workers=4x", "'4x' is not a whole number"},
                          {"decode.workers=", "'' is not a whole number"},
                          {"decode.workers=99999999999", "is not a whole number"},
                          {"decode.workers=0", "0 is outside 1..1024"},
                          {"decode.workers=-4", "-4 is outside 1..1024"},
                          {"decode.workers=100", "--bound decode.workers=1..100 widens them"},
                          {"shuffle.workers=2", "the op is serial"}});
}

TEST(PinKnob, RefusesWhatIsNoKnob) {
  ExpectRefused(PinKnob, {{"decode", "write OP.workers, OP.capacity or OP.placement"},
                          {"decode.capcity", "did you mean 'capacity'?"},
                          {"", "is not a knob"},
                          {".workers", "unknown op ''"}});
}

TEST(BoundKnob, RefusesWhatIsNoRange) {
  ExpectRefused(BoundKnob, {{"decode.workers", "has no '='"},
                            {"decode.workers=1-8", "write for example 1..8"},
                            {"decode.workers=1..", "write for example 1..8"},
                            {"decode.workers=..8", "write for example 1..8"},
                            {"decode.workers=8..1", "8 is more than 1"},
                            {"decode.workers=0..8", "0 is outside 1..1024"},
                            {"decode.workers=1..5000", "5000 is outside 1..1024"},
                            {"shuffle.workers=2..8", "the op is serial"}});
}

TEST(SetKnob, LeavesThePipelineAsItWasWhenItRefuses) {
  PipelineDescription p = Train();
  EXPECT_FALSE(SetKnob(p, "decode.workers=100"));
  EXPECT_FALSE(BoundKnob(p, "decode.workers=0..8"));
  EXPECT_EQ(p.ops[1].workers, 1);
  EXPECT_EQ(p.ops[1].min_workers, 1);
  EXPECT_EQ(p.ops[1].max_workers, 64);
}

}  // namespace
}  // namespace sluice::runtime
