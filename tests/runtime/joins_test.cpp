// Pipelines that a zip or a concat joins from several sources: what a pair is, how rows are numbered and
// named, and what becomes of one of which a part has failed. Order, epochs, budgets and early stops of such
// pipelines are tested beside those of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <stdexcept>
#include <thread>

#include "runtime/pipelines.h"
#include "runtime/run.h"

namespace sluice::runtime {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Got = Pipeline::Got;

// range(rows) -> map; rows whose label is one of `failing` fail.
void AddBranch(Describe& p, const std::string& name, std::uint64_t rows,
               ErrorPolicy policy = ErrorPolicy::kRaise, const std::vector<std::int64_t>& failing = {}) {
  p.Range(rows).Name(name);
  p.Map(name + "_map", [failing](Item& item) {
     if (std::ranges::count(failing, item.label) > 0) throw std::runtime_error("broken");
   }).OnError(policy);
}

PipelineDescription Pairs(ErrorPolicy policy, const std::vector<std::int64_t>& a,
                          const std::vector<std::int64_t>& b) {
  Describe p("pairs");
  p.Memory(16_MiB);
  AddBranch(p, "a", 6, policy, a);
  AddBranch(p, "b", 6, policy, b);
  p.Zip({"a_map", "b_map"});
  return p;
}

// "2+8" for a pair, without the marks at ends.
std::vector<std::string> PairsOf(const std::vector<Taken>& taken) {
  std::vector<std::string> pairs;
  for (const Taken& t : taken) {
    for (std::size_t i = 0; i < t.indices.size(); ++i) {
      pairs.push_back(std::to_string(t.indices[i]));
      for (const auto& other : t.others) pairs.back() += "+" + std::to_string(other[i]);
    }
  }
  return pairs;
}

TEST(Joins, NumberTheRowsOfEachSourceBehindThoseOfTheOneBefore) {
  EXPECT_THAT(PairsOf(RunAll(Pairs(ErrorPolicy::kRaise, {}, {}))),
              ElementsAre("0+6", "1+7", "2+8", "3+9", "4+10", "5+11"));
}

TEST(Joins, SourcesOfAsManyRowsAreShuffledAlikeSoThatPairsStayPairs) {
  Describe p("shuffled");
  p.Memory(16_MiB).Epochs(2);
  p.Range(50).Name("a").Shuffled();
  p.Range(50).Name("b").Shuffled();
  p.Zip({"a", "b"});
  const auto taken = RunAll(p);
  for (const Taken& t : taken) {
    if (t.got != Got::kItem) continue;
    EXPECT_EQ(t.indices[0] + 50, t.others[0][0]);
  }
  EXPECT_FALSE(std::ranges::is_sorted(IndicesOf(taken)));
}

TEST(Joins, BatchesOfZippedRowsAreZippedBatches) {
  const auto one = [](bool zip_first) {
    Describe p("batches");
    p.Memory(16_MiB);
    p.Range(10).Name("a");
    p.Synthetic("a_rows", {.allocate = Bytes{100}});
    if (!zip_first) p.Batch(4).Name("a_batch");
    p.Range(10).Name("b");
    p.Synthetic("b_rows", {.allocate = Bytes{30}});
    if (!zip_first) p.Batch(4).Name("b_batch");
    p.Zip(zip_first ? std::vector<std::string>{"a_rows", "b_rows"}
                    : std::vector<std::string>{"a_batch", "b_batch"});
    if (zip_first) p.Batch(4);
    return RunAll(p);
  };
  const auto taken = one(true);
  ASSERT_EQ(taken.size(), 5u);
  EXPECT_THAT(taken[2].indices, ElementsAre(8, 9));
  EXPECT_THAT(taken[2].others, ElementsAre(ElementsAre(18, 19)));
  ExpectSame(taken, one(false), "zipped before and behind the batch");
}

TEST(Joins, ARowThatRaisesDoesSoInThePairsPlace) {
  for (const bool in_a : {true, false}) {
    const auto taken = RunAll(
        Sized(Pairs(ErrorPolicy::kRaise, in_a ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{},
                    in_a ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{3}),
              4, 4));
    ASSERT_EQ(taken.size(), 5u);
    EXPECT_THAT(PairsOf(taken), ElementsAre("0+6", "1+7", "2+8"));
    EXPECT_EQ(taken[3].got, Got::kError);
    EXPECT_THAT(taken[3].error,
                HasSubstr(in_a ? "a_map: row 3 of epoch 0: broken" : "b_map: row 9 of epoch 0"));
  }
}

TEST(Joins, ARowThatIsLeftOutTakesItsPartnerAlong) {
  const auto pipeline = MustBuild(Sized(Pairs(ErrorPolicy::kSkip, {1}, {1, 4}), 4, 4));
  EXPECT_THAT(PairsOf(TakeAll(*pipeline)), ElementsAre("0+6", "2+8", "3+9", "5+11"));
  EXPECT_EQ(pipeline->failures().failed, 3u);
  EXPECT_EQ(pipeline->failures().read, 12u);
}

TEST(Joins, APairOneRowOfWhichIsToBeReplacedIsThePairBefore) {
  auto description = Pairs(ErrorPolicy::kReplace, {1}, {4});
  EXPECT_THAT(PairsOf(RunAll(Sized(description, 4, 4))),
              ElementsAre("0+6", "0+6", "2+8", "3+9", "3+9", "5+11"));
  OpSpec batch;
  batch.name = "batch";
  batch.what = BatchSpec{4};
  description.ops.push_back(batch);
  EXPECT_THAT(PairsOf(RunAll(Sized(description, 4, 4))),
              ElementsAre("0+6", "0+6", "2+8", "3+9", "5+11", "5+11"));
}

TEST(Joins, ErrorsBehindTheShortestInputAreCountedAndNotRaised) {
  Describe p("surplus");
  p.Memory(16_MiB).Epochs(2);
  AddBranch(p, "a", 3);
  AddBranch(p, "b", 6, ErrorPolicy::kRaise, {4});
  p.Zip({"a_map", "b_map"});
  const auto pipeline = MustBuild(p);
  EXPECT_THAT(PairsOf(TakeAll(*pipeline)), ElementsAre("0+3", "1+4", "2+5", "0+3", "1+4", "2+5"));
  EXPECT_EQ(pipeline->failures().failed, 2u);
}

TEST(Joins, NameTheFileOfARowWhicheverSourceItIsOf) {
  const formats::ScratchFolder folder;
  constexpr int kImages = 12;
  WriteJpegs(folder, kImages);
  Truncate(JpegPath(folder, 7, kImages));
  Describe p("files");
  p.Memory(64_MiB);
  p.Range(5);
  p.ImageFolder(folder.Path("jpegs"));
  p.Map("decode", {image::Decode{}});
  p.Concat({"range", "decode"});
  const auto taken = RunAll(p);
  ASSERT_EQ(taken.size(), 14u);
  EXPECT_THAT(taken[12].error, AllOf(HasSubstr("decode: row 12 of epoch 0"), HasSubstr("0007.jpg")));
}

TEST(Joins, TakeOfABranchReadsNoRowInVain) {
  Describe p("take");
  p.Memory(16_MiB);
  p.Range(4).Name("a");
  p.Range(1000).Name("b");
  p.Map("b_map", [](Item&) {});
  p.Take(4);
  p.Zip({"a", "take"});
  const auto pipeline = MustBuild(p);
  EXPECT_THAT(PairsOf(TakeAll(*pipeline)).size(), 4u);
  EXPECT_EQ(pipeline->failures().read, 8u);
}

// What waits, and for whom, is said when nothing moves.
TEST(Joins, DescribeWhichInputTheyWaitFor) {
  std::latch release(1), inside(1);
  Describe p("stuck");
  p.Memory(16_MiB);
  p.Range(5).Name("a");
  p.Range(5).Name("b");
  p.Map("stuck", [&](Item&) {
     inside.count_down();
     release.wait();
   }).Workers(1);
  p.Zip({"a", "stuck"});
  const auto pipeline = MustBuild(p);
  pipeline->Start();
  inside.wait();
  while (pipeline->Describe().find("no input from stuck") == std::string::npos) std::this_thread::yield();
  release.count_down();
  pipeline->Stop();
}

TEST(Joins, AreATreeInTheSegment) {
  Describe p("graph");
  p.Memory(16_MiB);
  AddBranch(p, "a", 4);
  AddBranch(p, "b", 4);
  p.Zip({"a_map", "b_map"}).Name("pairs");
  p.Batch(2);
  const auto pipeline = MustBuild(p);
  std::vector<std::string> connectors;
  for (const ConnectorInfo& c : pipeline->graph().connectors) connectors.push_back(c.name);
  EXPECT_THAT(connectors, ElementsAre("a->a_map", "a_map->pairs", "b->b_map", "b_map->pairs", "pairs->batch",
                                      "batch->consumer"));
  EXPECT_EQ(pipeline->graph().ops[4].rows_per_item, 1u);
  EXPECT_EQ(pipeline->graph().ops[5].rows_per_item, 2u);
  EXPECT_TRUE(pipeline->graph().ops[4].serial);
  static_cast<void>(TakeAll(*pipeline));
  const Snapshot seen = ReadCounters(*pipeline);
  for (const std::size_t connector : {1, 3, 4}) EXPECT_EQ(seen.connectors[connector].popped, 5u) << connector;
}

}  // namespace
}  // namespace sluice::runtime
