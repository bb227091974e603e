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
  std::vector<std::vector<std::uint64_t>> others{};  // of a zip
  bool left_out = false;                             // its place is there still
};
using Pass = std::vector<Element>;
using Passes = std::vector<Pass>;

bool Fails(std::uint64_t index) {
  return index % 5 == 2;
}

// The model: a list of passes over the data, one list operation per op.
class Model {
 public:
  explicit Model(const PipelineDescription& description)
      : description_(description), inputs_(InputsOf(description)) {
    for (op_ = 0; op_ < description.ops.size(); ++op_) {
      passes_ = inputs_[op_].empty() ? Passes() : behind_[inputs_[op_][0]];
      std::visit([this](const auto& spec) { Apply(spec); }, description.ops[op_].what);
      behind_.push_back(passes_);
    }
    CloseUp();
  }

  [[nodiscard]] std::vector<Taken> Expected() const {
    std::vector<Taken> expected;
    for (std::size_t epoch = 0; epoch < passes_.size(); ++epoch) {
      for (const Element& e : passes_[epoch])
        expected.push_back({.got = Got::kItem, .epoch = e.epoch, .indices = e.rows, .others = e.others});
      expected.push_back({.got = Got::kEpochEnd, .epoch = epoch});
    }
    expected.push_back({.got = Got::kEnd});
    return expected;
  }

 private:
  void Apply(const SourceSpec& spec) {
    const std::uint64_t rows = std::get<RangeSource>(spec.from).count;
    std::uint64_t passes = description_.epochs;
    const auto takers = TakersOf(description_);
    for (std::size_t op = takers[op_]; op < takers.size(); op = takers[op]) {
      if (const auto* repeat = std::get_if<RepeatSpec>(&description_.ops[op].what)) passes *= repeat->count;
    }
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      const formats::Permutation permutation(rows, description_.seed, pass);
      passes_.emplace_back();
      for (std::uint64_t i = spec.shard_id; i < rows; i += spec.num_shards)
        passes_.back().push_back({pass, {first_row_ + (spec.shuffle ? permutation.At(i) : i)}, false});
    }
    first_row_ += rows;
  }
  void CloseUp() {
    for (Pass& pass : passes_) std::erase_if(pass, [](const Element& e) { return e.left_out; });
  }
  void Apply(const MapSpec&) {
    const auto failed = [](const Element& e) { return !e.batch && Fails(e.rows[0]); };
    if (description_.ops[op_].on_error != ErrorPolicy::kSkip) return;
    for (Pass& pass : passes_) {
      for (Element& e : pass) e.left_out = e.left_out || failed(e);
    }
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
    CloseUp();
    for (Pass& pass : passes_) pass.resize(std::min<std::size_t>(pass.size(), spec.count));
  }
  void Apply(const SkipSpec& spec) {
    CloseUp();
    for (Pass& pass : passes_) {
      pass.erase(pass.begin(),
                 pass.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(pass.size(), spec.count)));
    }
  }
  void Apply(const BatchSpec& spec) {
    CloseUp();
    for (Pass& pass : passes_) {
      Pass batches;
      for (std::size_t i = 0; i < pass.size(); ++i) {
        if (i % spec.size == 0) {
          batches.push_back({pass[i].epoch, {}, true});
          batches.back().others.resize(pass[i].others.size());
        }
        batches.back().rows.push_back(pass[i].rows[0]);
        for (std::size_t c = 0; c < pass[i].others.size(); ++c)
          batches.back().others[c].push_back(pass[i].others[c][0]);
      }
      if (spec.drop_remainder && pass.size() % spec.size != 0) batches.pop_back();
      pass = std::move(batches);
    }
  }
  // A buffer from which a random element goes for each that comes, and all at the end.
  void Apply(const ShuffleSpec& spec) {
    CloseUp();
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

  void Apply(const ConcatSpec&) {
    for (std::size_t k = 1; k < inputs_[op_].size(); ++k) {
      const Passes& more = behind_[inputs_[op_][k]];
      for (std::size_t i = 0; i < passes_.size(); ++i)
        passes_[i].insert(passes_[i].end(), more[i].begin(), more[i].end());
    }
  }
  void Apply(const ZipSpec&) {
    for (std::size_t k = 1; k < inputs_[op_].size(); ++k) {
      const Passes& more = behind_[inputs_[op_][k]];
      for (std::size_t i = 0; i < passes_.size(); ++i) {
        passes_[i].resize(std::min(passes_[i].size(), more[i].size()));
        for (std::size_t row = 0; row < passes_[i].size(); ++row) {
          Element& whole = passes_[i][row];
          const Element& part = more[i][row];
          whole.left_out = whole.left_out || part.left_out;
          whole.others.push_back(part.rows);
          whole.others.insert(whole.others.end(), part.others.begin(), part.others.end());
        }
      }
    }
  }

  const PipelineDescription& description_;
  const std::vector<std::vector<std::size_t>> inputs_;
  std::vector<Passes> behind_;  // each op so far
  std::uint64_t first_row_ = 0;
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
    AddSource(p);
    bool batched = false;
    for (std::uint64_t ops = Pick(0, 6); ops > 0; --ops) AddOp(p, batched);
    return Sized(p);
  }

  // Branches that a zip or a concat joins; now and then what comes of them is zipped once more.
  PipelineDescription MakeTree() {
    Describe p("random");
    p.Seed(Pick(1, 100)).Epochs(Pick(1, 3)).Memory(16_MiB);
    std::string end = AddBranch(p);
    for (std::uint64_t joins = Pick(1, 2), i = 0; i < joins; ++i) {
      std::vector<std::string> inputs = {end};
      for (std::uint64_t others = Pick(1, 2); others > 0; --others) inputs.push_back(AddBranch(p));
      std::swap(inputs[0], inputs[Pick(0, inputs.size() - 1)]);
      if (i == 0 && Chance(2)) {
        p.Concat(inputs);
      } else {
        p.Zip(inputs);
      }
      end = p.description().ops.back().name;
    }
    bool batched = false;
    for (std::uint64_t ops = Pick(0, 3); ops > 0; --ops) AddOp(p, batched);
    return Sized(p);
  }

 private:
  void AddSource(Describe& p) {
    OpHandle source = p.Range(Pick(3, 40));
    if (Chance(2)) source.Shuffled();
    if (Chance(3)) source.Shard(static_cast<std::uint32_t>(Pick(0, 2)), 3);
  }
  // Returns its last op. Rows fail behind those ops only that would close up.
  std::string AddBranch(Describe& p) {
    AddSource(p);
    bool batched = true;
    for (std::uint64_t ops = Pick(0, 3); ops > 0; --ops) AddOp(p, batched, 4);
    for (std::uint64_t ops = Pick(0, 2); ops > 0; --ops) AddOp(p, batched, 7, 5);
    return p.description().ops.back().name;
  }
  PipelineDescription Sized(PipelineDescription description) {
    for (OpSpec& op : description.ops) {
      if (!IsSerial(op)) op.workers = static_cast<int>(Pick(1, 8));
      op.capacity = static_cast<int>(Pick(1, 9));
    }
    return description;
  }
  std::uint64_t Pick(std::uint64_t low, std::uint64_t high) { return low + rng_.Below(high - low + 1); }
  bool Chance(std::uint64_t one_in) { return rng_.Below(one_in) == 0; }

  // One of the kinds `from` to `most`.
  void AddOp(Describe& p, bool& batched, std::uint64_t most = 6, std::uint64_t from = 0) {
    switch (Pick(from, most)) {
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

TEST(Epochs, AnyTreeDeliversWhatTheModelSays) {
  for (std::uint64_t seed = 2001; seed <= 2300; ++seed) {
    const PipelineDescription description = Generator(seed).MakeTree();
    ExpectSame(Model(description).Expected(), WithoutContent(RunAll(description)),
               fmt::format("seed {}: {}", seed, Text(description)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epochs, AnyTreeDeliversWhatTheModelSaysWhileItIsResized) {
  for (std::uint64_t seed = 3001; seed <= 3100; ++seed) {
    const PipelineDescription description = Generator(seed).MakeTree();
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
