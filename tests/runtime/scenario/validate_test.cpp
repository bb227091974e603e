#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sluice/runtime/scenario.h"

namespace sluice::runtime {

struct Item {};

namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// read -> decode -> burn -> shuffle -> batch, with something in it broken.
std::string MessageAfter(const std::function<void(PipelineDescription&)>& breaking) {
  auto p = Describe("train");
  p.ImageFolder("photos").Name("read");
  p.Map("decode", {image::Decode{}, image::RandomResizedCrop{}, image::Normalize{{0, 0, 0}, {1, 1, 1}},
                   image::HwcToChw{}});
  p.Synthetic("burn", {.burn = Distribution{}});
  p.Shuffle(100);
  p.Batch(4);
  PipelineDescription broken = p;
  EXPECT_TRUE(Validate(broken)) << Validate(broken).error().message;
  breaking(broken);
  const auto valid = Validate(broken);
  return valid ? "valid" : valid.error().message;
}

std::string MessageWithTransforms(std::vector<image::Transform> transforms) {
  return MessageAfter(
      [&](PipelineDescription& p) { std::get<MapSpec>(p.ops[1].what).transforms = transforms; });
}

TEST(Validate, NamesTheOpAndTheFieldThatIsOutOfItsRange) {
  const auto knob = [](int OpSpec::* member, int value) {
    return MessageAfter([=](PipelineDescription& p) { p.ops[1].*member = value; });
  };
  EXPECT_EQ(knob(&OpSpec::workers, 0),
            "op 'decode': workers: 0 is outside 1..64 (see min_workers and max_workers)");
  EXPECT_THAT(knob(&OpSpec::workers, 65), HasSubstr("workers: 65 is outside 1..64"));
  EXPECT_THAT(knob(&OpSpec::capacity, 5000), HasSubstr("capacity: 5000 is outside 1..1024"));
  EXPECT_THAT(knob(&OpSpec::min_workers, 0), HasSubstr("min_workers: 0 is outside 1..1024"));
  EXPECT_THAT(knob(&OpSpec::max_workers, 1025), HasSubstr("max_workers: 1025 is outside 1..1024"));
  EXPECT_THAT(knob(&OpSpec::min_capacity, 2000),
              HasSubstr("min_capacity: 2000 is more than max_capacity = 1024"));
  EXPECT_THAT(knob(&OpSpec::max_capacity, 1 << 21), HasSubstr("max_capacity: 2097152 is outside"));
}

TEST(Validate, RefusesASerialOpWithTwoWorkers) {
  const auto two = [](std::size_t op) {
    return MessageAfter([=](PipelineDescription& p) {
      p.ops[1].serial = true;
      p.ops[op].workers = 2;
    });
  };
  EXPECT_EQ(two(1), "op 'decode': workers: 2, but the op is serial: 1 is possible");
  EXPECT_EQ(two(3), "op 'shuffle': workers: 2, but the op is serial: 1 is possible");
  EXPECT_EQ(two(4), "valid");
}

TEST(Validate, RefusesAPipelineWithoutOneSourceAtItsStart) {
  EXPECT_EQ(MessageAfter([](auto& p) { p.ops.clear(); }), "pipeline 'train': has no source");
  EXPECT_THAT(MessageAfter([](auto& p) { p.ops.erase(p.ops.begin()); }),
              HasSubstr("op 'decode': the first op must be a source"));
  EXPECT_THAT(MessageAfter([](auto& p) {
                p.ops[2] = p.ops[0];
                p.ops[2].name = "again";
              }),
              HasSubstr("op 'decode': no op takes its items; name it in the inputs of one zip or concat"));
}

// Images and captions, joined; with something in it broken.
std::string MessageOfJoined(bool zip, const std::function<void(PipelineDescription&)>& breaking) {
  auto p = Describe("joined");
  p.Range(4).Name("images");
  p.Synthetic("decode", {.allocate = 1_KiB});
  p.Take(3);
  p.Range(4).Name("captions");
  p.Synthetic("tokenize", {.allocate = 1_KiB});
  zip ? p.Zip({"take", "tokenize"}).Name("both") : p.Concat({"take", "tokenize"}).Name("both");
  p.Batch(2);
  PipelineDescription broken = p;
  EXPECT_TRUE(Validate(broken)) << Validate(broken).error().message;
  breaking(broken);
  const auto valid = Validate(broken);
  return valid ? "valid" : valid.error().message;
}

TEST(Validate, RefusesWhatWouldMixTheItemsThatAZipPairs) {
  const auto unordered = [](PipelineDescription& p) { p.ops[4].ordered = false; };
  EXPECT_EQ(MessageOfJoined(true, unordered),
            "op 'tokenize': ordered: false would pair items of 'both' anew in every run; leave it out");
  EXPECT_EQ(MessageOfJoined(false, unordered), "valid");
  const auto skips = [](std::size_t op) {
    return [op](PipelineDescription& p) { p.ops[op].on_error = ErrorPolicy::kSkip; };
  };
  EXPECT_EQ(MessageOfJoined(true, skips(1)),
            "op 'decode': on_error: 'skip' would shift the items that 'both' pairs, as an op before it "
            "closes up; use "
            "'replace', or put shuffle, batch, take and skip behind the zip");
  EXPECT_EQ(MessageOfJoined(true, skips(4)), "valid") << "nothing behind it closes up";
  EXPECT_EQ(MessageOfJoined(false, skips(1)), "valid");
}

TEST(Validate, RefusesToJoinWhatDoesNotGoTogether) {
  const auto batched = [](PipelineDescription& p) { p.ops[4].what = BatchSpec{2}; };
  for (const bool zip : {true, false}) {
    EXPECT_THAT(MessageOfJoined(zip, batched),
                HasSubstr("op 'both': inputs: some of them give batches and some single rows"));
  }
  const auto one_hot = [](PipelineDescription& p) { p.ops[4].what.emplace<MapSpec>().one_hot = 10; };
  EXPECT_EQ(MessageOfJoined(false, one_hot),
            "op 'both': inputs: one_hot is 0 before one of them and 10 before another; use the same, or put "
            "it behind");
  EXPECT_EQ(MessageOfJoined(true, one_hot), "valid") << "each column has labels of its own";
}

TEST(Validate, CountsTheItemsOfABranchedPipeline) {
  const auto nothing_from = [](std::size_t op) {
    return [op](PipelineDescription& p) {
      p.epochs = 0;
      std::get<SourceSpec>(p.ops[op].what).from = RangeSource{0};
    };
  };
  EXPECT_EQ(MessageOfJoined(false, nothing_from(0)), "valid");
  EXPECT_THAT(MessageOfJoined(true, nothing_from(3)), HasSubstr("leaves no item of an epoch"));
}

TEST(Validate, RefusesTwoOpsOfOneNameAndNamesThatNoKnobCouldHave) {
  EXPECT_THAT(MessageAfter([](auto& p) { p.ops[2].name = "decode"; }),
              HasSubstr("name: 'decode' is the name of an earlier op too"));
  EXPECT_THAT(MessageAfter([](auto& p) { p.ops[2].name = "a.b"; }), HasSubstr("letters, digits"));
  EXPECT_THAT(MessageAfter([](auto& p) { p.ops[2].name = std::string(48, 'x'); }),
              HasSubstr("48 characters"));
  EXPECT_EQ(MessageAfter([](auto& p) { p.ops[2].name = p.ops[3].name = ""; }), "valid");
}

TEST(Validate, RefusesMoreThanThereIsRoomFor) {
  EXPECT_THAT(MessageAfter([](auto& p) {
                for (int i = 0; i < 60; ++i) {
                  p.ops.push_back(p.ops[2]);
                  p.ops.back().name = "";
                }
              }),
              HasSubstr("has 65 ops"));
  EXPECT_THAT(MessageAfter([](auto& p) {
                p.ops[1].max_workers = p.ops[1].workers = 1000;
                p.ops[2].workers = 64;
              }),
              HasSubstr("has 1067 workers in all; 1024 are possible"));
  EXPECT_THAT(MessageAfter([](auto& p) { p.memory = Bytes{-1}; }), HasSubstr("memory: is negative"));
}

TEST(Validate, RefusesImpossibleSources) {
  const auto source = [](const SourceSpec& spec) {
    return MessageAfter([=](PipelineDescription& p) { p.ops[0].what = spec; });
  };
  EXPECT_THAT(source({.from = ImageFolderSource{""}}), HasSubstr("op 'read': path: is empty"));
  EXPECT_THAT(source({.from = ImageFolderSource{"x"}, .num_shards = 0}),
              HasSubstr("num_shards: 0 is outside"));
  EXPECT_THAT(source({.from = ImageFolderSource{"x"}, .num_shards = 4, .shard_id = 4}),
              HasSubstr("shard_id: 4 is outside 0..3"));
}

TEST(Validate, RefusesImpossibleOps) {
  const auto op = [](const auto& spec) {
    return MessageAfter([=](PipelineDescription& p) { p.ops[3].what = spec; });
  };
  EXPECT_THAT(op(BatchSpec{.size = 0}), HasSubstr("size: 0 is outside"));
  EXPECT_THAT(op(ShuffleSpec{.buffer_size = 0}), HasSubstr("buffer_size: 0 is outside"));
  EXPECT_THAT(op(RepeatSpec{.count = 0}), HasSubstr("count: 0 is outside"));
  EXPECT_THAT(op(MapSpec{}), HasSubstr("transforms: are empty"));
  EXPECT_THAT(op(MapSpec{.transforms = {image::ToFloat{}}, .function = [](Item&) {}}),
              HasSubstr("beside a function"));
  EXPECT_THAT(op(BatchSpec{.size = 2}), HasSubstr("op 'batch': rows are in batches already"));
}

TEST(Validate, RefusesImpossibleTimesAndCurves) {
  const auto synthetic = [](const SyntheticSpec& spec) {
    return MessageAfter([=](PipelineDescription& p) { p.ops[2].what = spec; });
  };
  const auto lognormal = [](double cv) { return Distribution{Distribution::Kind::kLognormal, Nanos(1), cv}; };
  EXPECT_THAT(synthetic({.burn = Distribution{.mean = Nanos(-1)}}), HasSubstr("burn: the mean must be"));
  EXPECT_THAT(synthetic({.wait = Distribution{.mean = std::chrono::hours(2)}}),
              HasSubstr("wait: the mean must be"));
  EXPECT_THAT(synthetic({.wait = lognormal(kNan)}), HasSubstr("wait: cv: nan is outside"));
  EXPECT_THAT(synthetic({.wait = lognormal(-0.5)}), HasSubstr("cv: -0.5 is outside"));
  EXPECT_THAT(synthetic({.wait = Distribution{.cv = 0.5}}), HasSubstr("cv is for lognormal only"));
  EXPECT_THAT(synthetic({.allocate = Bytes{-1}}), HasSubstr("allocate: must be between"));
  EXPECT_THAT(synthetic({.contention = {.sigma = kNan}}), HasSubstr("contention: nan is outside"));
  EXPECT_THAT(synthetic({.contention = {.kappa = -1}}), HasSubstr("contention: -1 is outside"));
  EXPECT_THAT(synthetic({.contention = {.table = {1, 0}}}), HasSubstr("contention: 0 is outside"));
  EXPECT_THAT(synthetic({.contention = {.sigma = 1, .table = {1}}}), HasSubstr("only one of the two"));
}

TEST(Validate, RefusesTransformsThatCannotTakeTheirRow) {
  EXPECT_EQ(MessageWithTransforms({image::RandomResizedCrop{}, image::Decode{}}),
            "op 'decode': transforms: random_resized_crop: needs a decoded image; put decode before it");
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::Decode{}}),
              HasSubstr("decode: the rows are decoded already"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::HwcToChw{}, image::CenterCrop{}}),
              HasSubstr("put it before hwc_to_chw"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::HwcToChw{}, image::HwcToChw{}}),
              HasSubstr("in CHW order already"));
  EXPECT_THAT(MessageWithTransforms({image::ToFloat{}}), HasSubstr("to_float: needs a decoded image"));
}

TEST(Validate, RefusesTransformsWithImpossibleNumbers) {
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::RandomResizedCrop{.height = 0}}),
              HasSubstr("height 0 is outside"));
  EXPECT_THAT(
      MessageWithTransforms({image::Decode{}, image::RandomResizedCrop{.scale_min = 0.9, .scale_max = 0.1}}),
      HasSubstr("scale [0.9, 0.1] must be two rising numbers"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::RandomResizedCrop{.ratio_min = kNan}}),
              HasSubstr("ratio [nan"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::Resize{.height = 9000}}),
              HasSubstr("size 9000 is outside"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::CenterCrop{.width = -3}}),
              HasSubstr("width -3 is outside"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::RandomCrop{.padding = -1}}),
              HasSubstr("padding -1 is outside"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::RandomHorizontalFlip{.probability = 1.5}}),
              HasSubstr("probability"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::RandomColorAdjust{.hue = {-0.6, 0}}}),
              HasSubstr("hue [-0.6, 0]"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::Normalize{{0, 0}, {1, 1, 1}}}),
              HasSubstr("three numbers each"));
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::Normalize{{0, 0, 0}, {1, 0, 1}}}),
              HasSubstr("std must be positive"));
}

TEST(Validate, RefusesACropThatIsLargerThanTheImageItIsKnownToGet) {
  const auto cifar = [](image::RandomCrop crop) {
    auto p = Describe("train");
    p.Cifar10("cifar");
    p.Map("crop", {crop});
    const auto valid = Validate(p);
    return valid ? "valid" : valid.error().message;
  };
  EXPECT_EQ(cifar({40, 40, 4}), "valid");
  EXPECT_THAT(cifar({41, 40, 4}), HasSubstr("41x40 does not fit into an image of 32x32 with padding 4"));
  EXPECT_EQ(MessageWithTransforms({image::Decode{}, image::RandomCrop{5000, 5000}}),
            "valid");  // not known before the run
  EXPECT_THAT(MessageWithTransforms({image::Decode{}, image::Resize{64, 64}, image::RandomCrop{65, 64}}),
              HasSubstr("does not fit"));
}

TEST(Validate, RefusesImageTransformsOnRowsThatAreNoImages) {
  const auto rows = [](Bytes allocate, bool batch) {
    auto p = Describe("train");
    p.Range(100);
    p.Synthetic("make", {.allocate = allocate});
    if (batch) p.Batch(4);
    p.Map("flip", {image::RandomHorizontalFlip{}});
    const auto valid = Validate(p);
    return valid ? "valid" : valid.error().message;
  };
  EXPECT_THAT(rows(Bytes{0}, false), HasSubstr("the rows of a range have no data"));
  EXPECT_THAT(rows(1_KiB, false), HasSubstr("the rows are plain bytes"));
  EXPECT_THAT(rows(1_KiB, true), HasSubstr("put this op before the batch"));
}

TEST(Validate, LetsAUsersFunctionMakeImages) {
  auto p = Describe("train");
  p.Range(100);
  p.Map("draw", [](Item&) {});
  p.Map("flip", {image::RandomHorizontalFlip{}});
  EXPECT_TRUE(Validate(p));
}

TEST(Validate, RefusesAnEndlessRunThatNeverYieldsAnItem) {
  const auto endless = [](std::uint64_t epochs, auto add) {
    auto p = Describe("train").Epochs(epochs);
    p.Range(10).Shard(1, 4);  // rows 1, 5, 9
    add(p);
    const auto valid = Validate(p);
    return valid ? "valid" : valid.error().message;
  };
  EXPECT_EQ(endless(0, [](Describe& p) { p.Skip(2); }), "valid");
  EXPECT_THAT(endless(0, [](Describe& p) { p.Skip(3); }), HasSubstr("op 'skip': leaves no item"));
  EXPECT_THAT(endless(0, [](Describe& p) { p.Take(0); }), HasSubstr("op 'take': leaves no item"));
  EXPECT_EQ(endless(0, [](Describe& p) { p.Batch(4); }), "valid");
  EXPECT_THAT(endless(0, [](Describe& p) { p.Batch(4, DropRemainder::kYes); }), HasSubstr("leaves no item"));
  EXPECT_EQ(endless(0, [](Describe& p) { p.Repeat(2), p.Batch(4, DropRemainder::kYes); }), "valid");
  EXPECT_EQ(endless(1, [](Describe& p) { p.Take(0); }), "valid");
}

}  // namespace
}  // namespace sluice::runtime
