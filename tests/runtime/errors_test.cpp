// Errors travel in order, under each of the three policies, and are counted exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "runtime/pipelines.h"
#include "runtime/run.h"

namespace sluice::runtime {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Got = Pipeline::Got;
constexpr int kImages = 24;
constexpr std::size_t kDecode = 1;

class ErrorsTest : public testing::Test {
 protected:
  ErrorsTest() { WriteJpegs(folder_, kImages); }

  PipelineDescription Jpegs(ErrorPolicy policy, bool batch, bool shuffled = false) {
    PipelineDescription description = JpegTraining(folder_, true);
    std::get<SourceSpec>(description.ops[0].what).shuffle = shuffled;
    description.ops[kDecode].on_error = policy;
    if (!batch) description.ops.pop_back();
    return description;
  }
  // Rows 0..n-1 twice (two epochs), with `from` in the place of `to`, or without it.
  static std::vector<std::uint64_t> Rows(std::uint64_t to, std::optional<std::uint64_t> from) {
    std::vector<std::uint64_t> rows;
    for (std::uint64_t i = 0; i < 2 * kImages; ++i) {
      const std::uint64_t row = i % kImages;
      if (row != to) rows.push_back(row);
      if (row == to && from) rows.push_back(*from);
    }
    return rows;
  }
  formats::ScratchFolder folder_;
};

TEST_F(ErrorsTest, ACorruptJpegRaisesInItsPlaceAndEndsTheRun) {
  Truncate(JpegPath(folder_, 7, kImages));
  for (const int workers : {1, 4, 16}) {
    const auto taken = RunAll(Sized(Jpegs(ErrorPolicy::kRaise, false), workers, 4));
    ASSERT_EQ(taken.size(), 9u);
    for (std::uint64_t i = 0; i < 7; ++i) EXPECT_THAT(taken[i].indices, ElementsAre(i));
    EXPECT_EQ(taken[7].got, Got::kError);
    EXPECT_THAT(taken[7].error, AllOf(HasSubstr("decode: row 7 of epoch 0"), HasSubstr("truncated")));
    EXPECT_EQ(taken[8].got, Got::kEnd);
  }
}

TEST_F(ErrorsTest, ACorruptJpegIsLeftOutAndCounted) {
  Truncate(JpegPath(folder_, 7, kImages));
  const auto wanted = RunAll(Jpegs(ErrorPolicy::kSkip, true));
  EXPECT_EQ(IndicesOf(wanted), Rows(7, std::nullopt));
  for (const int workers : {4, 16}) {
    const auto pipeline = MustBuild(Sized(Jpegs(ErrorPolicy::kSkip, true), workers, 2));
    ExpectSame(wanted, TakeAll(*pipeline), "workers " + std::to_string(workers));
    EXPECT_EQ(ReadCounters(*pipeline).ops[kDecode].failed, 2u);
  }
}

TEST_F(ErrorsTest, ACorruptJpegIsReplacedByTheRowBeforeIt) {
  Truncate(JpegPath(folder_, 7, kImages));
  for (const bool batch : {true, false}) {
    const auto wanted = RunAll(Jpegs(ErrorPolicy::kReplace, batch));
    EXPECT_EQ(IndicesOf(wanted), Rows(7, 6));
    for (const int workers : {4, 16}) {
      const auto pipeline = MustBuild(Sized(Jpegs(ErrorPolicy::kReplace, batch), workers, 2));
      ExpectSame(wanted, TakeAll(*pipeline), "workers " + std::to_string(workers));
      EXPECT_EQ(ReadCounters(*pipeline).ops[kDecode].failed, 2u);
    }
  }
}

TEST_F(ErrorsTest, AtTheVeryStartTheRowAfterItTakesItsPlace) {
  Truncate(JpegPath(folder_, 0, kImages));
  auto rows = Rows(0, 1);
  EXPECT_EQ(IndicesOf(RunAll(Jpegs(ErrorPolicy::kReplace, true))), rows);
  rows[kImages] = kImages - 1;  // without a batch the row before it is the last epoch's last
  EXPECT_EQ(IndicesOf(RunAll(Jpegs(ErrorPolicy::kReplace, false))), rows);
}

// No row before the mark is a good one, so all their places wait for one behind it.
TEST_F(ErrorsTest, AnEpochsMarkComesOnceWhereNoRowBeforeItIsGood) {
  for (std::uint64_t i = 0; i < kImages; ++i) Truncate(JpegPath(folder_, i, kImages));
  const auto taken = RunAll(Jpegs(ErrorPolicy::kReplace, false));
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].got, Got::kEpochEnd);
  EXPECT_EQ(taken[1].got, Got::kEpochEnd);
  EXPECT_EQ(taken[2].got, Got::kEnd);
}

TEST_F(ErrorsTest, ManyCorruptJpegsGiveTheSameBatchesAtAnyNumberOfWorkers) {
  for (const int i : {0, 1, 4, 5, 6, 7, 8, 9, 15, 23}) Truncate(JpegPath(folder_, i, kImages));
  for (const ErrorPolicy policy : {ErrorPolicy::kSkip, ErrorPolicy::kReplace}) {
    const auto description = Jpegs(policy, true, true);
    const auto wanted = RunAll(description);
    EXPECT_EQ(IndicesOf(wanted).size(), policy == ErrorPolicy::kSkip ? 28u : 48u);
    for (const std::uint64_t seed : {1, 2, 3}) {
      ExpectSame(wanted, RunAllResized(description, seed), "seed " + std::to_string(seed));
    }
  }
}

// What the batch holds, against the rows on their own.
TEST_F(ErrorsTest, BatchesHoldTheRightPixelsAroundRowsThatFailed) {
  for (const int i : {0, 3, 4, 11}) Truncate(JpegPath(folder_, i, kImages));
  const auto pixels = [this](ErrorPolicy policy, bool batch) {
    const auto pipeline = MustBuild(Sized(Jpegs(policy, batch), 4, 4));
    const Watchdog watchdog(*pipeline);
    pipeline->Start();
    std::vector<std::byte> all;
    Item item;
    while (pipeline->Next(item) == Got::kItem)
      all.insert(all.end(), item.data.data, item.data.data + item.data.Size());
    return all;
  };
  EXPECT_EQ(pixels(ErrorPolicy::kSkip, true), pixels(ErrorPolicy::kSkip, false));
  EXPECT_EQ(pixels(ErrorPolicy::kReplace, true), pixels(ErrorPolicy::kReplace, false));
}

// The reader fails, not the decoder: with rows written straight into their batch.
TEST_F(ErrorsTest, AFileThatIsGoneIsLeftOutOrReplacedInTheBatch) {
  for (const ErrorPolicy policy : {ErrorPolicy::kSkip, ErrorPolicy::kReplace}) {
    for (const int workers : {1, 4, 16}) {
      WriteJpegs(folder_, kImages);
      auto description = Sized(Jpegs(ErrorPolicy::kRaise, true), workers, 4);
      description.ops[0].on_error = policy;
      const auto pipeline = MustBuild(description);
      for (const int i : {2, 3, 9}) std::filesystem::remove(JpegPath(folder_, i, kImages));
      const auto taken = TakeAll(*pipeline);
      EXPECT_EQ(ReadCounters(*pipeline).ops[0].failed, 6u);

      WriteJpegs(folder_, kImages);
      for (const int i : {2, 3, 9}) Truncate(JpegPath(folder_, i, kImages));
      ExpectSame(RunAll(Jpegs(policy, true)), taken, "workers " + std::to_string(workers));
    }
  }
}

// The book of failed rows: named by file, told once, counted in every epoch.
TEST_F(ErrorsTest, ARowIsNamedByItsFileOnceHoweverManyEpochsItFailsIn) {
  for (const int i : {7, 9}) Truncate(JpegPath(folder_, i, kImages));
  for (const ErrorPolicy policy : {ErrorPolicy::kSkip, ErrorPolicy::kReplace}) {
    PipelineDescription description = Jpegs(policy, true, true);
    description.epochs = 5;
    const auto pipeline = MustBuild(Sized(description, 4, 4));
    EXPECT_EQ(TakeAll(*pipeline).back().got, Got::kEnd);
    EXPECT_THAT(EventsOf(*pipeline),
                UnorderedElementsAre(
                    AllOf(HasSubstr("decode: row 7 of epoch 0"), HasSubstr(JpegPath(folder_, 7, kImages))),
                    AllOf(HasSubstr("decode: row 9 of epoch 0"), HasSubstr(JpegPath(folder_, 9, kImages)))));
    const RowFailures failures = pipeline->failures();
    EXPECT_EQ(failures.failed, 10u);
    EXPECT_EQ(failures.different, 2u);
    EXPECT_EQ(failures.read, 5u * kImages);
    const auto rows = pipeline->FailedRowsFrom(0);
    ASSERT_EQ(rows.size(), 2u);
    for (const FailedRow& row : rows) {
      EXPECT_EQ(row.op, "decode");
      EXPECT_EQ(row.epoch, 0u);
      EXPECT_EQ(row.origin.file, JpegPath(folder_, static_cast<int>(row.row), kImages));
      EXPECT_EQ(row.origin.byte, std::nullopt);
      EXPECT_THAT(row.error, HasSubstr("truncated"));
    }
    EXPECT_THAT(pipeline->FailedRowsFrom(1), testing::SizeIs(1));
    EXPECT_THAT(pipeline->FailedRowsFrom(2), testing::IsEmpty());
  }
}

TEST_F(ErrorsTest, AReaderThatNamesItsFileIsNotGivenItTwice) {
  auto description = Jpegs(ErrorPolicy::kRaise, true);
  description.ops[0].on_error = ErrorPolicy::kSkip;
  const auto pipeline = MustBuild(description);
  const std::string gone = JpegPath(folder_, 3, kImages);
  std::filesystem::remove(gone);
  EXPECT_EQ(TakeAll(*pipeline).back().got, Got::kEnd);
  const auto events = EventsOf(*pipeline);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0], HasSubstr("row 3 of epoch 0: " + gone));
  EXPECT_EQ(events[0].find(gone), events[0].rfind(gone));
}

// In files of many rows, with the byte at which the record begins; kept in memory or read one by one.
TEST(FailedRecords, AreNamedByFileAndByte) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 50);
  for (const Bytes memory : {64_MiB, 500_KiB}) {
    Describe p("records");
    p.Memory(memory);
    p.Cifar10(folder.Path("cifar"));
    p.Map("check", [](Item& item) {
       if (item.index == 23) throw std::runtime_error("no such label");
     }).OnError(ErrorPolicy::kSkip);
    const auto pipeline = MustBuild(p);
    EXPECT_EQ(TakeAll(*pipeline).back().got, Got::kEnd);
    const std::string file = folder.Path("cifar/data_batch_3.bin");
    EXPECT_THAT(EventsOf(*pipeline),
                ElementsAre("check: row 23 of epoch 0 (" + file + " at byte 9219): no such label"));
    ASSERT_EQ(pipeline->FailedRowsFrom(0).size(), 1u);
    EXPECT_EQ(pipeline->FailedRowsFrom(0)[0].origin, (RowOrigin{file, 9219}));
  }
}

TEST_F(ErrorsTest, AFileThatVanishesInMidRunIsNamed) {
  auto description = Jpegs(ErrorPolicy::kRaise, false);
  description.epochs = 4;
  const auto pipeline = MustBuild(Sized(description, 1, 1));
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  Item item;
  while (pipeline->Next(item) == Got::kItem) {
  }
  const std::string gone = JpegPath(folder_, kImages - 1, kImages);
  std::filesystem::remove(gone);
  Got got = Got::kItem;
  while (got == Got::kItem || got == Got::kEpochEnd) got = pipeline->Next(item);
  ASSERT_EQ(got, Got::kError);
  EXPECT_THAT(item.error()->message, AllOf(HasSubstr(gone), HasSubstr("image_folder")));
}

TEST_F(ErrorsTest, AFileThatHasGrownSinceIsAnErrorNotAnOverrun) {
  const auto pipeline = MustBuild(Jpegs(ErrorPolicy::kRaise, false));
  std::filesystem::resize_file(JpegPath(folder_, 4, kImages), 1 << 20);
  const auto taken = TakeAll(*pipeline);
  EXPECT_EQ(taken[4].got, Got::kError);
}

// Ops of the user's, on rows without data.
class UserErrorsTest : public testing::TestWithParam<int> {
 protected:
  Describe Failing(ErrorPolicy policy, std::function<void(Item&)> function) {
    Describe p("user");
    p.Memory(16_MiB);
    p.Range(10);
    p.Map("user", std::move(function)).OnError(policy).Workers(GetParam());
    return p;
  }
  // Batches of three; that which begins with row 6 fails.
  Describe NoSixes(ErrorPolicy policy) {
    Describe p("user");
    p.Memory(16_MiB);
    p.Range(12);
    p.Batch(3);
    p.Map("check",
          [](Item& batch) {
            if (batch.Indices()[0] == 6) throw std::runtime_error("no sixes");
          })
        .OnError(policy)
        .Workers(GetParam());
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, UserErrorsTest, testing::Values(1, 4));

void ThrowAtFour(Item& item) {
  if (item.index == 4) throw std::runtime_error("no fours");
}

TEST_P(UserErrorsTest, AnExceptionBecomesTheRowsError) {
  const auto taken = RunAll(Failing(ErrorPolicy::kRaise, ThrowAtFour));
  ASSERT_EQ(taken.size(), 6u);
  EXPECT_EQ(taken[4].error, "user: row 4 of epoch 0: no fours");
}

TEST_P(UserErrorsTest, WhateverIsThrown) {
  const auto taken = RunAll(Failing(ErrorPolicy::kRaise, [](Item&) { throw 42; }));
  EXPECT_THAT(taken.at(0).error, HasSubstr("an exception that is no std::exception"));
}

TEST_P(UserErrorsTest, RowsWithoutDataAreReplacedToo) {
  EXPECT_THAT(IndicesOf(RunAll(Failing(ErrorPolicy::kReplace, ThrowAtFour))),
              ElementsAre(0, 1, 2, 3, 3, 5, 6, 7, 8, 9));
  EXPECT_THAT(IndicesOf(RunAll(Failing(ErrorPolicy::kReplace,
                                       [](Item& item) {
                                         if (item.index < 2) throw std::runtime_error("too small");
                                       }))),
              ElementsAre(2, 2, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(UserErrorsTest, ABatchThatFailsIsReplacedByTheBatchBeforeIt) {
  const Describe p = NoSixes(ErrorPolicy::kReplace);
  EXPECT_THAT(IndicesOf(RunAll(p)), ElementsAre(0, 1, 2, 3, 4, 5, 3, 4, 5, 9, 10, 11));
}

TEST_P(UserErrorsTest, ARowIsCountedOnceHoweverManyOpsFollow) {
  Describe p = Failing(ErrorPolicy::kSkip, ThrowAtFour);
  p.Map("after", [](Item&) {}).Workers(GetParam());
  p.Batch(2);
  const auto pipeline = MustBuild(p);
  EXPECT_EQ(IndicesOf(TakeAll(*pipeline)).size(), 9u);
  const Snapshot seen = ReadCounters(*pipeline);
  EXPECT_EQ(seen.ops[1].failed, 1u);
  EXPECT_EQ(seen.ops[2].failed + seen.ops[3].failed, 0u);
  EXPECT_THAT(EventsOf(*pipeline), ElementsAre("user: row 4 of epoch 0: no fours"));
}

TEST_P(UserErrorsTest, ATakeBehindASourceThatLeavesRowsOutStillFindsEnough) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, kImages);
  Describe p("take");
  p.Memory(16_MiB);
  p.ImageFolder(folder.Path("jpegs")).OnError(ErrorPolicy::kSkip).Workers(GetParam());
  p.Take(5);
  const auto pipeline = MustBuild(p);
  std::filesystem::remove(JpegPath(folder, 2, kImages));
  EXPECT_THAT(IndicesOf(TakeAll(*pipeline)), ElementsAre(0, 1, 3, 4, 5));
}

TEST_P(UserErrorsTest, RowsOfDifferentShapesInOneBatchAreAnErrorOfTheBatch) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, kImages);
  Describe p("shapes");
  p.Memory(64_MiB);
  p.ImageFolder(folder.Path("jpegs"));
  p.Map("decode", {image::Decode{}}).Workers(GetParam());
  p.Batch(4);
  const auto taken = RunAll(p);
  ASSERT_EQ(taken.at(0).got, Got::kError);
  EXPECT_THAT(taken[0].error, AllOf(HasSubstr("batch: row 0 and 1 more of epoch 0"), HasSubstr("differ")));
}

TEST_P(UserErrorsTest, EveryRowOfABatchThatFailsIsCountedAndListed) {
  const Describe p = NoSixes(ErrorPolicy::kSkip);
  const auto pipeline = MustBuild(p);
  EXPECT_THAT(IndicesOf(TakeAll(*pipeline)), ElementsAre(0, 1, 2, 3, 4, 5, 9, 10, 11));
  EXPECT_EQ(ReadCounters(*pipeline).ops[2].failed, 3u);
  std::vector<std::uint64_t> listed;
  for (const FailedRow& row : pipeline->FailedRowsFrom(0)) listed.push_back(row.row);
  EXPECT_THAT(listed, ElementsAre(6, 7, 8));
  EXPECT_THAT(EventsOf(*pipeline), ElementsAre("check: row 6 and 2 more of epoch 0: no sixes"));
}

// An op that is used as a filter must not fill the ring of events: what else happens has to be seen, too.
TEST_P(UserErrorsTest, OfManyRowsTheFirstAreToldAndAllAreCounted) {
  Describe p("filter");
  p.Memory(16_MiB).Epochs(2);
  p.Range(5000);
  p.Map("filter",
        [](Item& item) {
          if (item.index % 2 == 1) throw std::runtime_error("odd");
        })
      .OnError(ErrorPolicy::kSkip)
      .Workers(GetParam());
  const auto pipeline = MustBuild(p);
  EXPECT_EQ(IndicesOf(TakeAll(*pipeline)).size(), 5000u);
  EXPECT_EQ(EventsOf(*pipeline).size(), 16u);
  EXPECT_EQ(pipeline->failures().failed, 5000u);
  EXPECT_EQ(pipeline->failures().different, 2500u);
  EXPECT_EQ(pipeline->failures().read, 10000u);
  EXPECT_EQ(pipeline->FailedRowsFrom(0).size(), 2500u);
}

}  // namespace
}  // namespace sluice::runtime
