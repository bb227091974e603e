// Random pipelines at awkward sizes, each run to its end without any change that could wake a thread that
// was forgotten. A pipeline that hangs ends the program and says where.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/run.h"
#include "sluice/base/rng.h"
#include "stress/rounds.h"

namespace sluice::stress {
namespace {

// Ops of every kind, costs from nothing to several wake-ups, small capacities, few or many workers.
class AwkwardPipeline {
 public:
  // `tree`: of several branches, else a chain.
  explicit AwkwardPipeline(std::uint64_t seed, bool tree = false)
      : rng_(seed), tree_(tree), text_(fmt::format("seed {}:", seed)) {}

  runtime::PipelineDescription Make() {
    runtime::Describe p("awkward");
    p.Seed(Pick(1, 1000)).Epochs(Pick(1, 4)).Memory(Tight() ? (tree_ ? 3_MiB : 1200_KiB) : 32_MiB);
    AddBranch(p, tree_ ? 2 : 6);
    for (std::uint64_t joins = tree_ ? Pick(1, 2) : 0; joins > 0; --joins) Join(p);
    const bool alike = !concatenated_;  // rows of one size
    if (alike && Chance(2)) p.Batch(static_cast<std::uint32_t>(Pick(1, 9)));
    runtime::PipelineDescription description = p;
    for (runtime::OpSpec& op : description.ops) Size(op);
    return description;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::uint64_t Pick(std::uint64_t low, std::uint64_t high) { return low + rng_.Below(high - low + 1); }
  bool Chance(std::uint64_t one_in) { return rng_.Below(one_in) == 0; }
  bool Tight() { return Chance(4); }

  void AddBranch(runtime::Describe& p, std::uint64_t most_ops) {
    p.Range(Pick(1, 150));
    for (std::uint64_t ops = Pick(1, most_ops); ops > 0; --ops) AddOp(p);
  }
  // What there is with one or two new branches, and an op or none behind.
  void Join(runtime::Describe& p) {
    std::vector<std::string> inputs = {p.description().ops.back().name};
    for (std::uint64_t others = Pick(1, 2); others > 0; --others) {
      AddBranch(p, 2);
      inputs.push_back(p.description().ops.back().name);
    }
    std::swap(inputs.front(), inputs[Pick(0, inputs.size() - 1)]);
    if (zipped_ || Chance(2)) {
      p.Zip(inputs);
      zipped_ = true;
    } else {
      p.Concat(inputs);
      concatenated_ = true;
    }
    if (Chance(2)) AddOp(p);
  }

  void AddOp(runtime::Describe& p) {
    const std::string name = fmt::format("op{}", names_++);
    switch (Pick(0, 8)) {
      case 0:
        p.Shuffle(static_cast<std::uint32_t>(Pick(1, 30)));
        break;
      case 1:
        p.Repeat(static_cast<std::uint32_t>(Pick(1, 2)));
        break;
      case 2:
        p.Skip(Pick(0, 3));
        break;
      case 3:
        p.Synthetic(name, {.wait = Spread(Pick(1, 300)), .allocate = Bytes{static_cast<int>(Pick(0, 6000))}});
        break;
      case 4:
        p.Map(name, [](runtime::Item&) {});
        break;
      case 5:  // cheap for most items, dear for some
        p.Map(name, [one_in = Pick(3, 20)](runtime::Item& item) {
          if (item.index % one_in == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        });
        break;
      default:
        p.Synthetic(name, {.burn = Spread(Pick(1, 60))});
        break;
    }
  }
  static Distribution Spread(std::uint64_t us) {
    return {Distribution::Kind::kExponential, std::chrono::microseconds(us)};
  }

  void Size(runtime::OpSpec& op) {
    constexpr int kWorkers[] = {1, 1, 2, 4, 16};
    constexpr int kCapacities[] = {1, 1, 1, 2, 3, 8, 64};
    if (!runtime::IsSerial(op)) op.workers = kWorkers[rng_.Below(std::size(kWorkers))];
    op.capacity = kCapacities[rng_.Below(std::size(kCapacities))];
    op.ordered = tree_ || !Chance(4);  // before a zip it has to be
    text_ += fmt::format(" {}({}x{}{})", op.name, op.workers, op.capacity, op.ordered ? "" : " unordered");
  }

  Rng rng_;
  const bool tree_;
  bool zipped_ = false;  // a concat cannot take its items and others
  bool concatenated_ = false;
  std::string text_;
  int names_ = 0;
};

struct Counted {
  std::size_t rows = 0, epochs = 0;
};

Counted Deliver(const runtime::PipelineDescription& description, const runtime::PipelineOptions& options,
                std::uint64_t seed, const std::string& what) {
  const auto pipeline = runtime::MustBuild(description, options);
  const runtime::Watchdog watchdog(*pipeline, what);
  Rng rng(seed);
  pipeline->Start();
  Counted counted;
  runtime::Item item;
  for (auto got = pipeline->Next(item); got != runtime::Pipeline::Got::kEnd; got = pipeline->Next(item)) {
    EXPECT_NE(got, runtime::Pipeline::Got::kError) << item.error()->message;
    if (got == runtime::Pipeline::Got::kItem) counted.rows += item.Rows();
    counted.epochs += got == runtime::Pipeline::Got::kEpochEnd;
    if (seed % 3 == 0 && rng.Below(4) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(400)));
  }
  return counted;
}

class LostWakeupTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Measured, LostWakeupTest, testing::Bool());

TEST_P(LostWakeupTest, NoPipelineHangs) {
  runtime::PipelineOptions options = runtime::Private();
  options.measure = GetParam();
  for (std::uint64_t seed = 1; seed <= Rounds(120); ++seed) {
    AwkwardPipeline awkward(seed);
    const runtime::PipelineDescription description = awkward.Make();
    for (const double cores : {1.0, 8.0}) {
      options.cores = cores;
      const Counted counted = Deliver(description, options, seed, awkward.text());
      EXPECT_EQ(counted.epochs, description.epochs) << awkward.text();
    }
    if (HasFailure()) return;
  }
}

// Whoever runs an op of several inputs feeds one of them; another one must not be forgotten.
TEST_P(LostWakeupTest, NoTreeHangs) {
  runtime::PipelineOptions options = runtime::Private();
  options.measure = GetParam();
  for (std::uint64_t seed = 1; seed <= Rounds(120); ++seed) {
    AwkwardPipeline awkward(seed, true);
    const runtime::PipelineDescription description = awkward.Make();
    for (const double cores : {1.0, 8.0}) {
      options.cores = cores;
      const Counted counted = Deliver(description, options, seed, awkward.text());
      EXPECT_EQ(counted.epochs, description.epochs) << awkward.text();
    }
    if (HasFailure()) return;
  }
}

// Epochs of one row: every item is the last of something.
TEST_P(LostWakeupTest, ManyShortEpochsAtCapacityOne) {
  runtime::PipelineOptions options = runtime::Private();
  options.measure = GetParam();
  for (const bool ordered : {true, false}) {
    runtime::Describe p("short");
    p.Epochs(Rounds(300)).Memory(32_MiB);
    p.Range(1);
    p.Map("a", [](runtime::Item&) {});
    p.Synthetic("b", {.burn = Distribution{Distribution::Kind::kExponential, std::chrono::microseconds(25)}});
    p.Shuffle(3);
    p.Map("c", [](runtime::Item&) {});
    runtime::PipelineDescription description = runtime::Sized(p, 16, 1);
    for (runtime::OpSpec& op : description.ops) op.ordered = ordered;
    EXPECT_EQ(Deliver(description, options, 1, "short epochs").rows, Rounds(300));
  }
}

// Starting and ending is where threads are most easily forgotten.
TEST_P(LostWakeupTest, ManyShortRuns) {
  runtime::PipelineOptions options = runtime::Private();
  options.measure = GetParam();
  runtime::Describe p("short");
  p.Memory(32_MiB);
  p.Range(5);
  p.Map("a", [](runtime::Item&) {});
  p.Map("b", [](runtime::Item&) {});
  p.Batch(2);
  for (std::uint64_t round = 0; round < Rounds(200); ++round) {
    const int workers = 1 + static_cast<int>(round % 4);
    const auto description = runtime::Sized(p, workers, 1 + static_cast<int>(round % 3));
    ASSERT_EQ(Deliver(description, options, round, "short run").rows, 5u);
  }
}

}  // namespace
}  // namespace sluice::stress
