// Ops on NUMA nodes, while the pipeline runs. The nodes are made of this machine's CPUs: node 0 is real, node
// 1 is there for threads alone, as no page can be put on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/probes/binding.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::runtime {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

const CpuSet kAllowed = probes::ReadAffinity(0).value();

// range -> decode (rows of 100 KB) -> batch, for ever.
PipelineDescription Rows() {
  PipelineDescription pipeline;
  pipeline.epochs = 0;
  pipeline.ops.push_back({.name = "list", .what = SourceSpec{.from = RangeSource{1000}}});
  SyntheticSpec work;
  work.burn = Distribution{.mean = std::chrono::microseconds(200)};
  work.allocate = {100'000};
  pipeline.ops.push_back({.name = "decode", .what = work, .workers = 2});
  pipeline.ops.push_back({.name = "batch", .what = BatchSpec{.size = 4}});
  return pipeline;
}

constexpr OpId kDecode{1}, kBatch{2};

class Placed : public testing::Test {
 protected:
  explicit Placed(const PipelineDescription& description = Rows(),
                  const PipelineOptions& options = TwoNodes())
      : pipeline_(MustBuild(description, options)) {
    pipeline_->Start();
  }

  [[nodiscard]] Snapshot See() const { return ReadCounters(*pipeline_); }
  [[nodiscard]] std::int64_t Value(OpId op) const {
    const Snapshot seen = See();
    return std::ranges::find(seen.knobs, KnobId{KnobKind::kPlacement, static_cast<std::uint32_t>(op)},
                             &Knob::id)
        ->value;
  }
  // Takes items until then.
  template <typename Condition>
  void Until(const Condition& condition) {
    Item item;
    while (!condition()) ASSERT_NE(pipeline_->Next(item), Pipeline::Got::kError);
  }
  void Place(OpId op, const Placement& placement) {
    pipeline_->SetPlacement(op, placement);
    Until([&] { return Value(op) == KnobValue(placement); });
  }
  // CPUs that the threads of an op may use.
  [[nodiscard]] std::vector<CpuSet> Masks(OpId op) const {
    std::vector<CpuSet> masks;
    for (const auto& thread : probes::SegmentReader::Over(pipeline_->segment())->Threads()) {
      if (thread.op != op || thread.tid == 0 || thread.retired) continue;
      if (auto mask = probes::ReadAffinity(thread.tid)) masks.push_back(std::move(*mask));
    }
    return masks;
  }

  std::unique_ptr<Pipeline> pipeline_;
  Watchdog watchdog_{*pipeline_};
};

TEST_F(Placed, ThreadsRunOnTheirNodeAndSoDoThoseThatComeLater) {
  const CpuSet second = TwoNodes().nodes[1].cpus;
  Place(kDecode, OnNode(1));
  EXPECT_THAT(Masks(kDecode), Each(second));
  EXPECT_THAT(Masks(kBatch), Each(kAllowed)) << "the other op may run anywhere";
  pipeline_->SetWorkers(kDecode, 4);
  Until([&] { return Masks(kDecode).size() == 4; });
  Until([&] { return std::ranges::count(Masks(kDecode), second) == 4; });
}

TEST_F(Placed, ThreadsMayRunAnywhereAgain) {
  Place(kDecode, OnNode(1));
  Place(kDecode, {});
  EXPECT_THAT(Masks(kDecode), Each(kAllowed));
}

TEST_F(Placed, ThreadsThatSomebodyElseHasMovedAreBroughtBack) {
  Place(kDecode, OnNode(0));
  for (const auto& thread : probes::SegmentReader::Over(pipeline_->segment())->Threads()) {
    if (thread.op == kDecode) {
      ASSERT_TRUE(probes::BindThread(thread.tid, kAllowed));
    }
  }
  Until([&] { return std::ranges::count(Masks(kDecode), TwoNodes().nodes[0].cpus) == 2; });
}

TEST_F(Placed, BuffersLieOnTheNodeAsFarAsTheKernelSays) {
  Place(kDecode, OnNode(0));
  Place(kBatch, OnNode(0));
  Until([&] { return See().ops[Index(kBatch)].place->pages > 0; });
  const Snapshot seen = See();
  for (const OpId op : {kDecode, kBatch})
    EXPECT_EQ(seen.ops[Index(op)].place->pages_at_home, seen.ops[Index(op)].place->pages);
}

TEST_F(Placed, MemoryThatCannotBeOnTheNodeIsTold) {
  Place(kDecode, OnNode(1));
  Until([&] {
    return std::ranges::any_of(EventsOf(*pipeline_), [](const std::string& event) {
      return event.find("memory cannot be placed on node 1") != std::string::npos;
    });
  });
  Until([&] { return See().ops[Index(kDecode)].place->pages > 0; });
  EXPECT_EQ(See().ops[Index(kDecode)].place->pages_at_home, 0u) << "nothing is there, and nothing says so";
}

TEST_F(Placed, ANodeThatIsNotThereIsRefusedAndTheOpStaysWhereItWas) {
  Place(kDecode, OnNode(0));
  pipeline_->SetPlacement(kDecode, OnNode(5));
  Until([&] { return !EventsOf(*pipeline_).empty(); });
  EXPECT_THAT(EventsOf(*pipeline_), Contains(HasSubstr("decode is not placed on node 5: this machine has no "
                                                       "node 5; it stays where it was (node 0)")));
  EXPECT_EQ(Value(kDecode), KnobValue(OnNode(0)));
  EXPECT_THAT(Masks(kDecode), Each(TwoNodes().nodes[0].cpus));
}

TEST(Placement, IsInForceFromTheStart) {
  PipelineDescription description = Rows();
  description.ops[1].placement = OnNode(1);
  const auto pipeline = MustBuild(description, TwoNodes());
  pipeline->Start();
  EXPECT_EQ(ReadCounters(*pipeline).knobs.at(6 + 1).value, KnobValue(OnNode(1)));
}

TEST(Placement, OnAMachineOfOneNodeIsToldAndThereIsNoKnob) {
  PipelineDescription description = Rows();
  description.ops[1].placement = OnNode(1);
  const auto pipeline = MustBuild(description);
  pipeline->Start();
  EXPECT_THAT(EventsOf(*pipeline),
              Contains("decode is not placed on node 1: this machine has one NUMA node"));
  EXPECT_EQ(ReadCounters(*pipeline).knobs.size(), 6u);
  pipeline->SetPlacement(kDecode, OnNode(0));
}

class OnOneCpu : public Placed {
 protected:
  static PipelineDescription Bound() {
    PipelineDescription description = Rows();
    description.ops[1].cpus.Add(kAllowed.First());
    return description;
  }
  explicit OnOneCpu(const PipelineOptions& options = {}) : Placed(Bound(), options) {}
};

TEST_F(OnOneCpu, AnOpsThreadsRunThereAlsoOnAMachineOfOneNode) {
  const CpuSet own = CpuSet::Range(kAllowed.First(), kAllowed.First());
  pipeline_->SetWorkers(kDecode, 4);
  Until([&] { return std::ranges::count(Masks(kDecode), own) == 4; });
  EXPECT_THAT(Masks(kBatch), Each(kAllowed));
  for (const auto& thread : probes::SegmentReader::Over(pipeline_->segment())->Threads()) {
    if (thread.op == kDecode) {
      ASSERT_TRUE(probes::BindThread(thread.tid, kAllowed));
    }
  }
  Until([&] { return std::ranges::count(Masks(kDecode), own) == 4; });
}

class OnOneCpuOfTwoNodes : public OnOneCpu {
 protected:
  OnOneCpuOfTwoNodes() : OnOneCpu(TwoNodes()) {}
};

TEST_F(OnOneCpuOfTwoNodes, ItsMemoryIsThereAndTuningLeavesItAlone) {
  EXPECT_EQ(Value(kDecode), KnobValue(OnNode(0)));
  EXPECT_EQ(See().knobs.at(6 + 1).holder, Holder::kUser);
  pipeline_->SetPlacement(kDecode, OnNode(1));
  Until([&] { return !EventsOf(*pipeline_).empty(); });
  EXPECT_THAT(EventsOf(*pipeline_), Contains(HasSubstr("none of its CPUs")));
  EXPECT_EQ(Value(kDecode), KnobValue(OnNode(0)));
}

TEST(Placement, CpusThatAreNotThereAreToldAndTheOpRunsAnywhere) {
  PipelineDescription description = Rows();
  description.ops[1].cpus.Add(CpuSet::kMost - 1);
  const auto pipeline = MustBuild(description);
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  Item item;  // threads that have no number yet are looked at a second later
  while (EventsOf(*pipeline).empty()) ASSERT_NE(pipeline->Next(item), Pipeline::Got::kError);
  EXPECT_THAT(EventsOf(*pipeline), Contains(HasSubstr("CPUs 65535: ")));
  EXPECT_THAT(EventsOf(*pipeline), Contains(HasSubstr("it runs anywhere")));
}

// Cheap ops next to each other run on each other's threads, unless they live elsewhere.
TEST(Placement, ChangesNothingOfWhatComesOut) {
  const PipelineDescription description = RangeAndMaps(400);
  const auto all = [&](bool moving) {
    const auto pipeline = MustBuild(description, TwoNodes());
    const Watchdog watchdog(*pipeline);
    pipeline->Start();
    std::vector<Taken> taken;
    Item item;
    for (std::uint32_t i = 0;; ++i) {
      const auto got = pipeline->Next(item);
      taken.push_back(Keep(got, item));
      if (got == Pipeline::Got::kEnd) return taken;
      if (!moving) continue;
      const Placement place = i % 3 == 2 ? Placement{} : OnNode(static_cast<int>(i % 3));
      pipeline->SetPlacement(OpId{i % static_cast<std::uint32_t>(description.ops.size())}, place);
    }
  };
  EXPECT_EQ(all(true), all(false));
}

// While all ops may run anywhere, those that cost next to nothing are run on each other's threads.
TEST(Placement, KeepsThreadsFromHelpingAnOpThatLivesElsewhere) {
  PipelineDescription description = RangeAndMaps(1000);
  description.epochs = 0;
  const auto pipeline = MustBuild(description, TwoNodes());
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  Item item;
  const auto helped = [&](OpId op) {
    Nanos sum{0};
    for (const auto& thread : probes::SegmentReader::Over(pipeline->segment())->Threads())
      sum += thread.op == op ? thread.helped : Nanos(0);
    return sum;
  };
  const OpId first{1};
  while (helped(first) == Nanos(0)) ASSERT_NE(pipeline->Next(item), Pipeline::Got::kError);
  pipeline->SetPlacement(first, OnNode(1));
  const auto place = [&] { return ReadCounters(*pipeline).ops[1].place.has_value(); };
  while (!place()) ASSERT_NE(pipeline->Next(item), Pipeline::Got::kError);
  for (int i = 0; i < 50; ++i)
    static_cast<void>(pipeline->Next(item));  // who helps at this moment is through
  const Nanos before = helped(first);
  for (int i = 0; i < 2000; ++i) static_cast<void>(pipeline->Next(item));
  EXPECT_EQ(helped(first), before);
}

}  // namespace
}  // namespace sluice::runtime
