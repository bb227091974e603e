// Epochs, repeat, take, skip, shuffle, batch and rows that fail, in any combination, against a plain model
// of what they mean.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/run.h"
#include "sluice/base/rng.h"
#include "sluice/formats/permutation.h"

namespace sluice::runtime {
namespace {

using Got = Pipeline::Got;

// A row or a batch.
struct Element {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> rows;
  bool batch = false;
};
using Pass = std::vector<Element>;
using Passes = std::vector<Pass>;

bool Fails(std::uint64_t index) {
  return index % 5 == 2;
}

// The model: a list of passes over the data, one list operation per op.
class Model {
 public:
  explicit Model(const PipelineDescription& description) : description_(description) {
    for (op_ = 0; op_ < description.ops.size(); ++op_)
      std::visit([this](const auto& spec) { Apply(spec); }, description.ops[op_].what);
  }

  [[nodiscard]] std::vector<Taken> Expected() const {
    std::vector<Taken> expected;
    for (std::size_t epoch = 0; epoch < passes_.size(); ++epoch) {
      for (const Element& e : passes_[epoch])
        expected.push_back({.got = Got::kItem, .epoch = e.epoch, .indices = e.rows});
      expected.push_back({.got = Got::kEpochEnd, .epoch = epoch});
    }
    expected.push_back({.got = Got::kEnd});
    return expected;
  }

 private:
  void Apply(const SourceSpec& spec) {
    const std::uint64_t rows = std::get<RangeSource>(spec.from).count;
    std::uint64_t passes = description_.epochs;
    for (const OpSpec& op : description_.ops) {
      if (const auto* repeat = std::get_if<RepeatSpec>(&op.what)) passes *= repeat->count;
    }
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      const formats::Permutation permutation(rows, description_.seed, pass);
      passes_.emplace_back();
      for (std::uint64_t i = spec.shard_id; i < rows; i += spec.num_shards)
        passes_.back().push_back({pass, {spec.shuffle ? permutation.At(i) : i}, false});
    }
  }
  void Apply(const MapSpec&) {
    const auto failed = [](const Element& e) { return !e.batch && Fails(e.rows[0]); };
    if (description_.ops[op_].on_error != ErrorPolicy::kSkip) return;
    for (Pass& pass : passes_) std::erase_if(pass, failed);
  }
  void Apply(const SyntheticSpec&) {}
  void Apply(const RepeatSpec& spec) {
    Passes merged;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      if (i % spec.count == 0) merged.emplace_back();
      merged.back().insert(merged.back().end(), passes_[i].begin(), passes_[i].end());
    }
    passes_ = std::move(merged);
  }
  void Apply(const TakeSpec& spec) {
    for (Pass& pass : passes_) pass.resize(std::min<std::size_t>(pass.size(), spec.count));
  }
  void Apply(const SkipSpec& spec) {
    for (Pass& pass : passes_) {
      pass.erase(pass.begin(),
                 pass.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(pass.size(), spec.count)));
    }
  }
  void Apply(const BatchSpec& spec) {
    for (Pass& pass : passes_) {
      Pass batches;
      for (std::size_t i = 0; i < pass.size(); ++i) {
        if (i % spec.size == 0) batches.push_back({pass[i].epoch, {}, true});
        batches.back().rows.push_back(pass[i].rows[0]);
      }
      if (spec.drop_remainder && pass.size() % spec.size != 0) batches.pop_back();
      pass = std::move(batches);
    }
  }
  // A buffer from which a random element goes for each that comes, and all at the end.
  void Apply(const ShuffleSpec& spec) {
    for (Pass& pass : passes_) {
      Pass held, out;
      std::optional<Rng> rng;
      for (std::size_t i = 0; i < pass.size(); ++i) {
        held.push_back(pass[i]);
        const bool last = i + 1 == pass.size();
        while (held.size() > spec.buffer_size || (last && !held.empty())) {
          if (!rng) rng.emplace(description_.seed, pass[i].epoch, 0, op_);
          std::swap(held[rng->Below(held.size())], held.back());
          out.push_back(held.back());
          held.pop_back();
        }
      }
      pass = std::move(out);
    }
  }

  const PipelineDescription& description_;
  std::size_t op_ = 0;
  Passes passes_;
};

// A random pipeline, small enough to be read when it fails.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}

  PipelineDescription Make() {
    Describe p("random");
    p.Seed(Pick(1, 100)).Epochs(Pick(1, 3)).Memory(16_MiB);
    const std::uint64_t rows = Pick(3, 40);
    OpHandle source = p.Range(rows);
    if (Chance(2)) source.Shuffled();
    if (Chance(3)) source.Shard(static_cast<std::uint32_t>(Pick(0, 2)), 3);
    bool batched = false;
    for (std::uint64_t ops = Pick(0, 6); ops > 0; --ops) AddOp(p, batched);
    PipelineDescription description = p;
    for (OpSpec& op : description.ops) {
      if (!IsSerial(op)) op.workers = static_cast<int>(Pick(1, 8));
      op.capacity = static_cast<int>(Pick(1, 9));
    }
    return description;
  }

 private:
  std::uint64_t Pick(std::uint64_t low, std::uint64_t high) { return low + rng_.Below(high - low + 1); }
  bool Chance(std::uint64_t one_in) { return rng_.Below(one_in) == 0; }

  void AddOp(Describe& p, bool& batched) {
    switch (Pick(0, 6)) {
      case 0:
        p.Repeat(static_cast<std::uint32_t>(Pick(1, 3)));
        break;
      case 1:
        p.Take(Pick(0, 30));
        break;
      case 2:
        p.Skip(Pick(0, 10));
        break;
      case 3:
        p.Shuffle(static_cast<std::uint32_t>(Pick(1, 20)));
        break;
      case 4:
        if (!batched)
          p.Batch(static_cast<std::uint32_t>(Pick(1, 6)),
                  Chance(2) ? DropRemainder::kYes : DropRemainder::kNo);
        batched = true;
        break;
      case 5:
        p.Map(fmt::format("fails{}", names_++), [](Item& item) {
           if (item.kind == ItemKind::kRow && Fails(item.index)) throw std::runtime_error("fails");
         }).OnError(ErrorPolicy::kSkip);
        break;
      default:
        p.Map(fmt::format("plain{}", names_++), [](Item&) {});
        break;
    }
  }

  Rng rng_;
  int names_ = 0;
};

std::string Text(const PipelineDescription& description) {
  std::string text = fmt::format("seed {}, {} epochs:", description.seed, description.epochs);
  for (const OpSpec& op : description.ops) text += " " + op.name;
  return text;
}

// Only what the model knows.
std::vector<Taken> WithoutContent(std::vector<Taken> taken) {
  for (Taken& t : taken) {
    t.labels.clear();
    t.content = 0;
    t.kind = ItemKind::kRow;
    if (t.got == Got::kEnd) t.epoch = 0;
  }
  return taken;
}

TEST(Epochs, AnyPipelineDeliversWhatTheModelSays) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const PipelineDescription description = Generator(seed).Make();
    ExpectSame(Model(description).Expected(), WithoutContent(RunAll(description)),
               fmt::format("seed {}: {}", seed, Text(description)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epochs, AnyPipelineDeliversWhatTheModelSaysWhileItIsResized) {
  for (std::uint64_t seed = 1001; seed <= 1100; ++seed) {
    const PipelineDescription description = Generator(seed).Make();
    ExpectSame(Model(description).Expected(), WithoutContent(RunAllResized(description, seed)),
               fmt::format("seed {}: {}", seed, Text(description)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epochs, ADatasetOfOneRowAndManyEpochs) {
  Describe p("one");
  p.Epochs(500).Memory(16_MiB);
  p.Range(1);
  p.Map("plain", [](Item&) {}).Workers(4);
  const auto taken = RunAll(p);
  ASSERT_EQ(taken.size(), 1001u);
  EXPECT_EQ(taken[999].epoch, 499u);
  EXPECT_EQ(taken[999].got, Got::kEpochEnd);
}

}  // namespace
}  // namespace sluice::runtime
