#include "doctor/pressure_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "probes/canned_tree.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Strain kMemory{.cpu = false, .memory = true};

probes::Pressure Pressure(double share) {
  return {.some = {{share}, {share / 2}, {0}, Nanos(0)}, .full = {}};
}

PressureLook Look(double cpu, double memory) {
  return {.origin = "cgroup /pods/a", .cpu = Pressure(cpu), .memory = Pressure(memory), .io = Pressure(0)};
}

// read -> decode -> augment, with much in the buffer behind decode.
MeasuredPipeline Pipeline() {
  MeasuredPipeline pipeline{.pid = 4711, .program = "train"};
  auto graph = std::make_shared<Graph>();
  graph->ops = {{.name = "read", .kind = "source"},
                {.name = "mix", .kind = "shuffle"},
                {.name = "decode", .kind = "map"},
                {.name = "augment", .kind = "map"}};
  for (std::uint32_t i = 0; i + 1 < 4; ++i) graph->connectors.push_back({"", OpId{i}, OpId{i + 1}});
  pipeline.seen.graph = graph;
  pipeline.seen.connectors.resize(3);
  pipeline.seen.connectors[0].bytes = 1_MiB;
  pipeline.seen.connectors[2].bytes = 64_MiB;
  const auto knob = [](KnobKind kind, std::uint32_t target, const char* name, std::int64_t value) {
    return Knob{.id = {kind, target}, .name = name, .value = value, .requested = value, .min = 1, .max = 64};
  };
  pipeline.seen.knobs = {
      knob(KnobKind::kWorkers, 0, "read.workers", 1), knob(KnobKind::kCapacity, 0, "read.capacity", 8),
      knob(KnobKind::kWorkers, 2, "decode.workers", 6), knob(KnobKind::kCapacity, 2, "decode.capacity", 32)};
  return pipeline;
}

TEST(PressureChecks, SayHowMuchWaitedForWhatAndWhere) {
  const auto checks = PressureChecks(Look(0.4, 0.01));
  ASSERT_EQ(checks.size(), 3);
  EXPECT_EQ(checks[0].state, State::kNote);
  EXPECT_EQ(checks[0].found,
            "40% of the last 10 s, 20% of the last minute, some work in cgroup /pods/a waited for a core");
  EXPECT_EQ(checks[0].evidence.at(0).from, "cgroup /pods/a: cpu.pressure");
  EXPECT_EQ(checks[1].state, State::kGood);
}

TEST(PressureChecks, AKernelWithoutThemIsNotWithoutPressure) {
  const PressureLook none{
      .origin = "", .cpu = Fail("needs CONFIG_PSI"), .memory = Fail("x"), .io = Fail("x")};
  for (const DoctorCheck& check : PressureChecks(none)) {
    EXPECT_EQ(check.state, State::kNote);
    EXPECT_THAT(check.found, HasSubstr("not told"));
  }
  EXPECT_FALSE(StrainOf(none).any());
}

TEST(ReadPressureOf, TakesTheGroupsOfAProcessWhereTheKernelCountsThere) {
  probes::CannedTree tree;
  const std::string cpu = "some avg10=40.00 avg60=1.00 avg300=0.50 total=12345\n";
  tree.Write("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
  EXPECT_EQ(ReadPressureOf(100, tree.root()).origin, "/proc/pressure");
  tree.Write("/proc/100/cgroup", "0::/pods/a\n");
  tree.Write("/proc/self/mountinfo", "31 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/sys/fs/cgroup/pods/a/cpu.pressure", cpu);
  const PressureLook look = ReadPressureOf(100, tree.root());
  EXPECT_EQ(look.origin, "cgroup /pods/a");
  ASSERT_TRUE(look.cpu);
  EXPECT_EQ(look.cpu->some.avg10, Fraction{0.4});
  EXPECT_FALSE(look.memory) << "missing, not zero";
}

TEST(Cuts, OfMemoryBeginWithTheBufferThatHoldsMost) {
  const Strain strain = StrainOf(Look(0, 0.2));
  EXPECT_TRUE(strain.memory && !strain.cpu);
  EXPECT_THAT(CutsOf(Pipeline().seen, strain),
              ElementsAre(Cut{{KnobKind::kCapacity, 2}, "decode.capacity", 32, 16},
                          Cut{{KnobKind::kCapacity, 0}, "read.capacity", 8, 4},
                          Cut{{KnobKind::kWorkers, 2}, "decode.workers", 6, 5}));
}

TEST(Cuts, ABufferThatIsKnownToHoldNothingIsLeftAlone) {
  MeasuredPipeline pipeline = Pipeline();
  pipeline.seen.connectors[2].bytes = Bytes{0};
  EXPECT_EQ(CutsOf(pipeline.seen, kMemory).at(0).knob, "read.capacity");
  EXPECT_EQ(CutsOf(pipeline.seen, kMemory).size(), 2);
  pipeline.seen.connectors[2].counted = false;
  EXPECT_EQ(CutsOf(pipeline.seen, kMemory).size(), 3) << "what it holds is not known";
}

TEST(Cuts, OfTheCoresAreWorkersAlone) {
  EXPECT_THAT(CutsOf(Pipeline().seen, StrainOf(Look(0.5, 0))),
              ElementsAre(Cut{{KnobKind::kWorkers, 2}, "decode.workers", 6, 5}));
  EXPECT_THAT(CutsOf(Pipeline().seen, StrainOf(Look(0.1, 0))), IsEmpty());
}

TEST(CutChecks, SayTheLossThatTheRunForesees) {
  const Foreseen foreseen{.cut = {{KnobKind::kCapacity, 2}, "decode.capacity", 32, 16},
                          .now = Outlook{Rate{200}, 3.0, 128_MiB},
                          .then = Outlook{Rate{196}, 2.9, 96_MiB}};
  const DoctorCheck check = CutChecks(Pipeline(), {foreseen}, kMemory).at(0);
  EXPECT_EQ(
      check.found,
      "train (4711): decode.capacity 32 to 16: 2% fewer items a second, 32.0 MiB less memory, 2.90 cores "
      "instead of 3.00, by the run's own forecast");
  EXPECT_EQ(check.remedy, "sluice top 4711, then k decode.capacity 16");
  EXPECT_EQ(check.evidence.at(2).read, "196 items a second, 2.90 cores, 96.0 MiB");
}

TEST(CutChecks, WithoutAForecastNoNumberIsMadeUp) {
  const Foreseen unknown{.cut = {{KnobKind::kCapacity, 2}, "decode.capacity", 32, 16},
                         .now = {},
                         .then = {},
                         .unknown = "too little was measured for a forecast"};
  EXPECT_EQ(
      CutChecks(Pipeline(), {unknown}, kMemory).at(0).found,
      "train (4711): decode.capacity 32 to 16: what that costs is not predicted: too little was measured for "
      "a forecast");
  const Foreseen still{.cut = unknown.cut, .now = Outlook{}, .then = Outlook{}};
  EXPECT_THAT(CutChecks(Pipeline(), {still}, kMemory).at(0).found, HasSubstr("takes no items now"));
  Foreseen no_bytes{
      .cut = unknown.cut, .now = Outlook{Rate{200}, 3, Bytes{0}}, .then = Outlook{Rate{200}, 3, Bytes{0}}};
  EXPECT_THAT(CutChecks(Pipeline(), {no_bytes}, kMemory).at(0).found,
              HasSubstr("as many items a second, how much less memory is not known"));
}

TEST(CutChecks, WhatCannotBeSteeredIsSetAtTheNextStart) {
  Foreseen foreseen{
      .cut = {{KnobKind::kWorkers, 2}, "decode.workers", 6, 5}, .now = {}, .then = {}, .unknown = "x"};
  foreseen.steered = false;
  const DoctorCheck check = CutChecks(Pipeline(), {foreseen}, kMemory).at(0);
  EXPECT_THAT(check.remedy, HasSubstr("--set decode.workers=5"));
  EXPECT_THAT(check.costs, HasSubstr("a new start"));
}

TEST(CutChecks, WhatOnlyTheScriptCanChangeIsNamedWithoutAForecast) {
  const auto checks = CutChecks(Pipeline(), {}, kMemory);
  ASSERT_EQ(checks.size(), 2);
  EXPECT_THAT(checks[0].found, HasSubstr("a smaller shuffle buffer in mix; no knob of a run"));
  EXPECT_THAT(checks[1].found, HasSubstr("decode and augment as one map"));
  EXPECT_EQ(CutChecks(Pipeline(), {}, Strain{.cpu = true}).size(), 1) << "a buffer takes no core";
}

}  // namespace
}  // namespace sluice::app
