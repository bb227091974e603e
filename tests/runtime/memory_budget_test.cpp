// The byte budget is never exceeded, never locks the pipeline up, and when it is too small the error names
// one that does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "runtime/pipelines.h"
#include "runtime/run.h"

namespace sluice::runtime {
namespace {

using Got = Pipeline::Got;

Bytes AFourthMore(Bytes budget) {
  return {budget.count * 5 / 4};
}

// "... give at least 1.5 MiB with --memory" -> bytes, rounded up.
Bytes NamedBudget(const std::string& error) {
  std::smatch found;
  static const std::regex kBudget("at least ([0-9.]+) (B|KiB|MiB|GiB) with --memory");
  if (!std::regex_search(error, found, kBudget)) {
    ADD_FAILURE() << "no budget in: " << error;
    return {};
  }
  double bytes = std::stod(found[1]);
  if (found[2] == "KiB") bytes *= 1 << 10;
  if (found[2] == "MiB") bytes *= 1 << 20;
  if (found[2] == "GiB") bytes *= 1 << 30;
  return {static_cast<std::int64_t>(bytes)};
}

// The peak is published by the control thread: two changes one after the other make it look twice.
Bytes PeakOf(Pipeline& pipeline) {
  for (const int capacity : {3, 4}) {
    pipeline.SetCapacity(ConnectorId{0}, capacity);
    while (ReadCounters(pipeline).knobs[1].value != capacity) std::this_thread::yield();
  }
  return ReadCounters(pipeline).buffered_peak;
}

const Taken* ErrorIn(const std::vector<Taken>& taken) {
  for (const Taken& t : taken) {
    if (t.got == Got::kError) return &t;
  }
  return nullptr;
}

// Of building or running; or all items are as wanted.
std::string ErrorOf(const PipelineDescription& description, const std::vector<Taken>& wanted) {
  const auto pipeline = Pipeline::Build(description, Private());
  if (!pipeline) return pipeline.error().message;
  const auto taken = TakeAll(**pipeline);
  EXPECT_LE(PeakOf(**pipeline), description.memory);
  if (const Taken* error = ErrorIn(taken)) return error->error;
  ExpectSame(wanted, taken, "budget " + std::to_string(description.memory.count));
  return "";
}

// From far too little on: either all rows as with plenty, or an error that names a budget, and that does.
void ExpectToWorkOrToNameWhatWould(const PipelineDescription& description) {
  const auto wanted = RunAll(description);
  ASSERT_EQ(ErrorIn(wanted), nullptr) << ErrorIn(wanted)->error;
  int worked = 0;
  for (Bytes budget = 8_KiB; worked < 3 && budget < 256_MiB; budget = AFourthMore(budget)) {
    auto tight = description;
    tight.memory = budget;
    std::string complaint = ErrorOf(tight, wanted);
    if (complaint.empty()) ++worked;
    // A larger row may come later; what a shuffle buffer needs is judged by those that came.
    for (int tries = 0; !complaint.empty(); ++tries) {
      ASSERT_LT(tries, 16);
      const Bytes named = NamedBudget(complaint);
      ASSERT_GT(named, tight.memory) << complaint;
      tight.memory = named;
      complaint = ErrorOf(tight, wanted);
    }
  }
}

class MemoryBudgetTest : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  [[nodiscard]] PipelineDescription Sized(const PipelineDescription& description) const {
    return sluice::runtime::Sized(description, GetParam().first, GetParam().second);
  }
  static PipelineDescription Allocating(bool batch) {
    Describe p("allocating");
    p.Memory(64_MiB);
    p.Range(200);
    p.Synthetic("rows", {.allocate = 20_KiB});
    p.Map("jumpy", JumpyWork);
    if (batch) p.Batch(8);
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(WorkersAndCapacity, MemoryBudgetTest,
                         testing::Values(std::pair(1, 1), std::pair(4, 16), std::pair(16, 64)));

TEST_P(MemoryBudgetTest, OfRowsThatAreAllocated) {
  ExpectToWorkOrToNameWhatWould(Sized(Allocating(false)));
}

TEST_P(MemoryBudgetTest, OfBatchesThatAreCopiedFromRows) {
  ExpectToWorkOrToNameWhatWould(Sized(Allocating(true)));
}

TEST_P(MemoryBudgetTest, OfAShuffleBufferAndABatchBehindIt) {
  Describe p("shuffle");
  p.Memory(64_MiB);
  p.Range(200);
  p.Synthetic("rows", {.allocate = 20_KiB});
  p.Shuffle(30);
  p.Map("jumpy", JumpyWork);
  p.Batch(8);
  ExpectToWorkOrToNameWhatWould(Sized(p));
}

TEST_P(MemoryBudgetTest, OfRowsThatGrowOnTheirWay) {
  Describe p("growing");
  p.Memory(64_MiB);
  p.Range(100);
  p.Synthetic("small", {.allocate = 4_KiB});
  p.Synthetic("larger", {.allocate = 40_KiB});
  p.Synthetic("largest", {.allocate = 100_KiB});
  ExpectToWorkOrToNameWhatWould(Sized(p));
}

TEST_P(MemoryBudgetTest, OfBatchesWithDirectSlots) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 100);
  auto description = CifarTraining(folder);
  std::get<SourceSpec>(description.ops[0].what).shuffle = false;
  ExpectToWorkOrToNameWhatWould(Sized(description));
}

TEST_P(MemoryBudgetTest, OfJpegsOfDifferentSizes) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  ExpectToWorkOrToNameWhatWould(Sized(JpegInSteps(folder)));
}

TEST_P(MemoryBudgetTest, OfFusedJpegs) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  ExpectToWorkOrToNameWhatWould(Sized(JpegTraining(folder, true)));
}

TEST_P(MemoryBudgetTest, OfPairsOfTwoSourcesInTurnAndAThird) {
  ExpectToWorkOrToNameWhatWould(Sized(CaptionedImages(16, 8, 25)));
}

// The cheap branch is at its capacity, or at the budget's end, long before the dear one has its first row.
TEST_P(MemoryBudgetTest, OfAZipOneBranchOfWhichRunsAhead) {
  for (const bool first : {true, false}) {
    Describe p("ahead");
    p.Memory(64_MiB);
    p.Range(100).Name("a");
    p.Synthetic("large", {.allocate = 100_KiB});
    p.Range(100).Name("b");
    p.Synthetic("dear", {.wait = Distribution{.mean = std::chrono::microseconds(200)}, .allocate = 20_KiB});
    p.Shuffle(5);
    p.Zip(first ? std::vector<std::string>{"large", "shuffle"}
                : std::vector<std::string>{"shuffle", "large"});
    p.Batch(3);
    ExpectToWorkOrToNameWhatWould(Sized(p));
  }
}

TEST_P(MemoryBudgetTest, OfZippedJpegsOfDifferentSizes) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  Describe p("pairs");
  p.Memory(64_MiB);
  for (const char* name : {"a", "b"}) {
    p.ImageFolder(folder.Path("jpegs")).Name(name);
    p.Map(std::string(name) + "_decode", {image::Decode{}});
  }
  p.Zip({"a_decode", "b_decode"});
  p.Shuffle(6);
  ExpectToWorkOrToNameWhatWould(Sized(p));
}

TEST_P(MemoryBudgetTest, WithoutOrder) {
  auto description = Sized(Allocating(false));
  description.ops[1].ordered = description.ops[2].ordered = false;
  for (Bytes budget = 40_KiB; budget < 1_MiB; budget = AFourthMore(budget)) {
    description.memory = budget;
    EXPECT_EQ(IndicesOf(RunAll(description)).size(), 200u) << budget.count;
  }
}

TEST_P(MemoryBudgetTest, HoldsWhileWorkersAndCapacitiesChange) {
  auto description = Sized(Allocating(true));
  description.epochs = 3;
  const auto wanted = RunAll(description);
  description.memory = 800_KiB;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto pipeline = MustBuild(description);
    {
      const RandomResizer resizer(*pipeline, seed);
      ExpectSame(wanted, TakeAll(*pipeline), "seed " + std::to_string(seed));
    }
    EXPECT_LE(PeakOf(*pipeline), description.memory);
  }
}

TEST(MemoryBudget, CoversWhatTheDataSetKeepsInMemory) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 500);
  PipelineDescription description = CifarTraining(folder);
  description.memory = 64_MiB;
  const Bytes rows{500 * 3073};
  EXPECT_EQ(MustBuild(description)->memory_limit(), 64_MiB - rows);
}

TEST(MemoryBudget, IsAQuarterOfWhatIsAvailableWhereNoneIsGiven) {
  Describe p("default");
  p.Range(1);
  EXPECT_GT(MustBuild(p)->memory_limit(), 1_MiB);
}

}  // namespace
}  // namespace sluice::runtime
