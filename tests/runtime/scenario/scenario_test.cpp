#include "sluice/runtime/scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "description_text.h"

namespace sluice::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;

std::string MessageFor(std::string_view toml) {
  const auto scenario = ParseScenario(toml, "x.toml");
  return scenario ? "valid" : scenario.error().message;
}

// In a file whose line 4 is `line` within [[op]] of this kind.
std::string MessageInOp(std::string_view kind, std::string_view line) {
  return MessageFor(
      fmt::format("source = {{kind = 'image_folder', path = 'p'}}\n[[op]]\nkind = '{}'\n{}\n", kind, line));
}

std::string MessageInTransform(std::string_view transform) {
  return MessageInOp("map", fmt::format("transforms = [\"decode\",\n{}]", transform));
}

constexpr std::string_view kEverything = R"(
name = "all"
summary = "Every key."
seed = 7
epochs = 3
memory = "1.5GiB"
cores = 2.5
[source]
kind = "image_folder"
path = "photos"
shuffle = true
num_shards = 4
shard_id = 1
[[op]]
kind = "map"
name = "decode"
workers = 2
capacity = 5
ordered = false
on_error = "skip"
min_workers = 2
max_workers = 9
min_capacity = 3
max_capacity = 99
pin_workers = true
pin_capacity = true
one_hot = 10
fuse = false
transforms = [
  "decode",
  {name = "random_resized_crop", size = [100, 120], scale = [0.1, 0.9], ratio = [1, 2], antialias = true},
  {name = "resize", size = 300, antialias = true},
  {name = "resize", size = [80, 90]},
  {name = "center_crop", size = [70, 80]},
  {name = "random_crop", size = [32, 40], padding = 4, fill = 255},
  {name = "random_horizontal_flip", probability = 0.25},
  {name = "random_color_adjust", brightness = [0.6, 1.4], contrast = [0.7, 1.3], saturation = [0.8, 1.2], hue = [-0.1, 0.1]},
  "to_float",
  {name = "normalize", mean = [0.5, 0.25, 0], std = [1, 2, 0.5]},
  {name = "hwc_to_chw"},
]
[[op]]
kind = "synthetic"
burn = "2ms"
wait = {dist = "lognormal", mean = "80us", cv = 0.5}
allocate = "1MiB"
contention = {sigma = 0.1, kappa = 0.01}
serial = true
[[op]]
kind = "synthetic"
burn = {dist = "exponential", mean = "1us"}
contention = {table = [1, 1.5]}
on_error = "replace"
[[op]]
kind = "shuffle"
buffer_size = 50
[[op]]
kind = "repeat"
count = 2
[[op]]
kind = "take"
count = 100
[[op]]
kind = "skip"
count = 10
[[op]]
kind = "batch"
size = 64
drop_remainder = true
[consumer]
step = {dist = "lognormal", mean = "80ms", cv = 0.2}
)";

std::vector<image::Transform> EveryTransform() {
  return {image::Decode{},
          image::RandomResizedCrop{100, 120, 0.1, 0.9, 1, 2, true},
          image::Resize{300, 0, true},
          image::Resize{80, 90, false},
          image::CenterCrop{70, 80},
          image::RandomCrop{32, 40, 4, 255},
          image::RandomHorizontalFlip{0.25},
          image::RandomColorAdjust{{0.6, 1.4}, {0.7, 1.3}, {0.8, 1.2}, {-0.1, 0.1}},
          image::ToFloat{},
          image::Normalize{{0.5f, 0.25f, 0}, {1, 2, 0.5f}},
          image::HwcToChw{}};
}

PipelineDescription Everything() {
  using Kind = Distribution::Kind;
  auto p = Describe("all").Seed(7).Epochs(3).Memory(Bytes{3} * (512 << 20));
  p.ImageFolder("photos").Shuffled().Shard(1, 4);
  p.Map("decode", EveryTransform()).Workers(2).Capacity(5).Unordered().OnError(ErrorPolicy::kSkip);
  p.Synthetic("", {.burn = Distribution{.mean = milliseconds(2)},
                   .wait = Distribution{Kind::kLognormal, microseconds(80), 0.5},
                   .allocate = 1_MiB,
                   .contention = {.sigma = 0.1, .kappa = 0.01}})
      .Serial();
  p.Synthetic("", {.burn = Distribution{.kind = Kind::kExponential, .mean = microseconds(1)},
                   .contention = {.table = {1, 1.5}}})
      .OnError(ErrorPolicy::kReplace);
  p.Shuffle(50);
  p.Repeat(2);
  p.Take(100);
  p.Skip(10);
  p.Batch(64, DropRemainder::kYes);
  PipelineDescription all = p;
  OpSpec& decode = all.ops[1];
  decode.min_workers = 2, decode.max_workers = 9, decode.min_capacity = 3, decode.max_capacity = 99;
  decode.pin_workers = decode.pin_capacity = true;
  std::get<MapSpec>(decode.what).one_hot = 10;
  std::get<MapSpec>(decode.what).fuse = false;
  return all;
}

TEST(ParseScenario, GivesWhatTheFluentCallsGive) {
  const auto scenario = ParseScenario(kEverything, "x.toml");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const Scenario expected{.pipeline = Everything(),
                          .consumer = {{Distribution::Kind::kLognormal, milliseconds(80), 0.2}},
                          .cores = 2.5,
                          .summary = "Every key."};
  EXPECT_EQ(Text(*scenario), Text(expected));
}

constexpr std::string_view kTree = R"(
[source]
kind = "range"
count = 4
[[op]]
kind = "cifar10"
path = "c"
shuffle = true
[[op]]
kind = "concat"
name = "both"
inputs = ["range", "cifar10"]
[[op]]
kind = "image_folder"
path = "p"
[[op]]
kind = "take"
count = 3
input = "image_folder"
[[op]]
kind = "zip"
inputs = ["both", "take"]
)";

TEST(ParseScenario, ReadsATreeOfOps) {
  auto p = Describe("pipeline");
  p.Range(4);
  p.Cifar10("c").Shuffled();
  p.Concat({"range", "cifar10"}).Name("both");
  p.ImageFolder("p");
  p.Take(3).Input("image_folder");
  p.Zip({"both", "take"});
  const auto scenario = ParseScenario(kTree, "x.toml");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  EXPECT_EQ(Text(*scenario), Text(Scenario{.pipeline = p, .consumer = {}, .cores = {}, .summary = ""}));
}

TEST(ParseScenario, RefusesInputsThatCannotBe) {
  const auto joining = [](std::string_view last) {
    return MessageFor(
        fmt::format("source = {{kind = 'range', count = 4, name = 'photos'}}\n"
                    "[[op]]\nkind = 'range'\nname = 'captions'\ncount = 4\n{}\n",
                    last));
  };
  EXPECT_EQ(joining("[[op]]\nkind = 'zip'\ninputs = ['photo', 'captions']"),
            "x.toml:8: [[op]] zip: inputs: no op before this one is called 'photo' (did you mean 'photos'?)");
  EXPECT_EQ(joining("[[op]]\nkind = 'concat'\ninputs = ['photos']"),
            "x.toml:8: [[op]] concat: inputs: two or more are needed");
  EXPECT_EQ(joining("[[op]]\nkind = 'zip'\ninputs = 'photos'"),
            "x.toml:8: [[op]] zip (number 2): inputs: must be an array of the names of ops, not \"photos\"");
  EXPECT_EQ(joining("[[op]]\nkind = 'zip'"), "x.toml:6: [[op]] zip (number 2): the key 'inputs' is missing");
  EXPECT_EQ(joining("[[op]]\nkind = 'batch'\nsize = 2"),
            "x.toml:1: [source]: no op takes its items; name it in the inputs of one zip or concat");
  EXPECT_THAT(joining("[[op]]\nkind = 'batch'\nsize = 2\ninputs = ['photos']"),
              HasSubstr("unknown key 'inputs' (did you mean 'input'?)"));
  EXPECT_THAT(joining("input = 'photos'"), HasSubstr("x.toml:6: [[op]] captions: unknown key 'input'"));
  EXPECT_THAT(joining("[[op]]\nkind = 'zip'\ninputs = ['photos', 'photos', 'captions']"),
              HasSubstr("x.toml:1: [source]: more than one takes its items"));
}

TEST(ParseScenario, LeavesOutWhatAFileLeavesOut) {
  auto p = Describe("pipeline");
  p.Cifar10("c", true);
  const auto scenario = ParseScenario("[source]\nkind = 'cifar10'\npath = 'c'\ntest = true", "x.toml");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  EXPECT_EQ(Text(*scenario), Text(Scenario{.pipeline = p, .consumer = {}, .cores = {}, .summary = ""}));
}

TEST(ParseScenario, NamesTheLineOfWhatIsNoToml) {
  EXPECT_THAT(MessageFor("name = 'x'\nseed = = 1\n"), HasSubstr("x.toml:2: column 8: "));
  EXPECT_THAT(MessageFor("seed = 1\nseed = 2\n"), HasSubstr("x.toml:2: "));
  EXPECT_THAT(MessageFor("name = \"\xff\"\n"), HasSubstr("x.toml:1: "));
}

TEST(ParseScenario, SuggestsTheKeyThatWasMeant) {
  EXPECT_EQ(MessageInOp("map", "worker = 2"),
            "x.toml:4: [[op]] map (number 1): unknown key 'worker' (did you mean 'workers'?)");
  EXPECT_EQ(MessageInOp("map", "name = 'decode'\ncapcity = 2"),
            "x.toml:5: [[op]] decode: unknown key 'capcity' (did you mean 'capacity'?)");
  EXPECT_EQ(MessageInTransform("{name = 'random_crop', sise = 3}"),
            "x.toml:5: [[op]] map (number 1): random_crop: unknown key 'sise' (did you mean 'size'?)");
  EXPECT_THAT(MessageInOp("synthetic", "contention = {sigm = 1}"), HasSubstr("did you mean 'sigma'?"));
  EXPECT_THAT(MessageInOp("synthetic", "burn = {dist = 'fixed', mena = '1s'}"),
              HasSubstr("did you mean 'mean'?"));
  EXPECT_EQ(MessageFor("sead = 2\n[source]\nkind = 'range'\ncount = 1"),
            "x.toml:1: unknown key 'sead' (did you mean 'seed'?)");
  EXPECT_THAT(MessageFor("[source]\nkind = 'range'\ncount = 1\nsize = 2"),
              HasSubstr("x.toml:4: [source]: unknown"));
  EXPECT_THAT(MessageFor("source = {kind = 'range', count = 1}\n[consumer]\nstepp = '1ms'"),
              HasSubstr("x.toml:3: [consumer]: unknown key 'stepp' (did you mean 'step'?)"));
}

TEST(ParseScenario, ListsTheKeysWhereNoneIsNear) {
  EXPECT_THAT(MessageInTransform("{name = 'random_crop', colour_of_the_sea = 3}"),
              HasSubstr("unknown key 'colour_of_the_sea'; there are: name, size, padding, fill"));
}

TEST(ParseScenario, SuggestsTheWordThatWasMeant) {
  EXPECT_THAT(MessageInOp("mapp", ""), HasSubstr("x.toml:3: [[op]] mapp (number 1): kind: unknown \"mapp\" "
                                                 "(did you mean 'map'?)"));
  EXPECT_THAT(MessageInOp("map", "on_error = 'skipp'"), HasSubstr("did you mean 'skip'?"));
  EXPECT_THAT(MessageInTransform("'normalise'"),
              HasSubstr("x.toml:5: [[op]] map (number 1): transforms: "
                        "unknown \"normalise\" (did you mean 'normalize'?)"));
  EXPECT_THAT(MessageInOp("synthetic", "burn = {dist = 'normal', mean = '1s'}"), HasSubstr("'lognormal'"));
  EXPECT_THAT(MessageFor("[source]\nkind = 'cifar'\n"), HasSubstr("did you mean 'cifar10'?"));
}

TEST(ParseScenario, RefusesWrongTypesAndSaysWhichItWants) {
  EXPECT_EQ(MessageInOp("map", "workers = 'two'"),
            "x.toml:4: [[op]] map (number 1): workers: must be a whole number, not \"two\"");
  EXPECT_THAT(MessageInOp("map", "workers = 2.0"), HasSubstr("must be a whole number, not 2"));
  EXPECT_THAT(MessageInOp("map", "name = 3"), HasSubstr("name: must be a string, not 3"));
  EXPECT_THAT(MessageInOp("map", "ordered = 1"), HasSubstr("ordered: must be true or false, not 1"));
  EXPECT_THAT(MessageInOp("map", "transforms = 'decode'"), HasSubstr("must be an array of transforms"));
  EXPECT_THAT(MessageInOp("map", "on_error = 3"),
              HasSubstr("must be one of \"raise\", \"skip\", \"replace\""));
  EXPECT_THAT(MessageInOp("synthetic", "burn = 2"),
              HasSubstr("must be a duration with its unit, such as \"2ms\""));
  EXPECT_THAT(MessageInOp("synthetic", "burn = '2'"), HasSubstr("burn: '2' is not a duration"));
  EXPECT_THAT(MessageInOp("synthetic", "allocate = 100"), HasSubstr("an amount of bytes with its unit"));
  EXPECT_THAT(MessageInOp("synthetic", "contention = 1"), HasSubstr("must be a table"));
  EXPECT_THAT(MessageInOp("synthetic", "contention = {table = [1, 'a']}"),
              HasSubstr("table: must be a finite"));
  EXPECT_THAT(MessageInTransform("3"), HasSubstr("transforms: must be one of"));
  EXPECT_THAT(MessageInTransform("{size = 3}"), HasSubstr("transforms: the key 'name' is missing"));
  EXPECT_THAT(MessageInTransform("{name = 'center_crop', size = 'x'}"),
              HasSubstr("or [height, width], not \"x\""));
  EXPECT_THAT(MessageInTransform("{name = 'center_crop', size = [1, 2, 3]}"), HasSubstr("not an array"));
  EXPECT_THAT(MessageInTransform("{name = 'random_resized_crop', scale = [1]}"), HasSubstr("[low, high]"));
  EXPECT_THAT(MessageFor("name = 1979-05-27\n[source]"), HasSubstr("must be a string, not a date or time"));
}

TEST(ParseScenario, RefusesNumbersThatCannotBe) {
  EXPECT_THAT(MessageInOp("batch", "size = -1"), HasSubstr("size: must be 0 or more, not -1"));
  EXPECT_THAT(MessageInOp("batch", "size = 99999999999"), HasSubstr("at most 4294967295"));
  EXPECT_THAT(MessageInOp("batch", "size = 4000000000"),
              HasSubstr("x.toml:4: [[op]] batch: size: 4000000000 is"));
  EXPECT_THAT(MessageInOp("batch", "size = 1\nworkers = -99999999999"), HasSubstr("workers: must be"));
  EXPECT_THAT(MessageInOp("synthetic", "burn = '-2ms'"), HasSubstr("is not a duration"));
  EXPECT_THAT(MessageInOp("synthetic", "burn = '3h'"),
              HasSubstr("burn: the mean must be between 0 and 1 hour"));
  EXPECT_THAT(MessageInOp("synthetic", "contention = {sigma = nan}"),
              HasSubstr("must be a finite number, not nan"));
  EXPECT_THAT(MessageInOp("synthetic", "contention = {table = [inf]}"), HasSubstr("must be a finite number"));
  EXPECT_THAT(MessageInOp("synthetic", "burn = {dist = 'lognormal', mean = '1ms'}"),
              HasSubstr("'cv' is missing"));
  EXPECT_THAT(MessageInTransform("{name = 'random_crop', fill = 256}"),
              HasSubstr("fill: must be at most 255"));
  for (const char* cores : {"0", "-1", "nan", "inf", "1e9", "'two'"}) {
    EXPECT_THAT(MessageFor(fmt::format("cores = {}\nsource = {{kind = 'range', count = 1}}", cores)),
                HasSubstr("x.toml:1: cores: must be"));
  }
  EXPECT_THAT(MessageFor("source = {kind = 'range', count = 1}\n[consumer]\nstep = '2h'"),
              HasSubstr("x.toml:3: [consumer]: step: the mean must be"));
}

TEST(ParseScenario, NamesTheKeyThatIsMissing) {
  EXPECT_EQ(MessageFor(""), "x.toml:1: the key 'source' is missing");
  EXPECT_THAT(MessageFor("\n[source]\npath = 'x'"),
              HasSubstr("x.toml:2: [source]: the key 'kind' is missing"));
  EXPECT_THAT(MessageFor("\n[source]\nkind = 'range'"), HasSubstr("the key 'count' is missing"));
  EXPECT_THAT(MessageInOp("batch", ""),
              HasSubstr("x.toml:2: [[op]] batch (number 1): the key 'size' is missing"));
  EXPECT_THAT(MessageInTransform("'normalize'"),
              HasSubstr("x.toml:5: [[op]] map (number 1): normalize: the key"));
}

TEST(ParseScenario, TellsHowATableIsWritten) {
  EXPECT_THAT(MessageFor("[[source]]\nkind = 'range'"), HasSubstr("write [source]"));
  EXPECT_THAT(MessageFor("[source]\nkind = 'range'\ncount = 1\n[op]\nkind = 'map'"),
              HasSubstr("write [[op]]"));
  EXPECT_THAT(MessageFor("op = [1]\n[source]\nkind = 'range'\ncount = 1"), HasSubstr("write [[op]]"));
  EXPECT_THAT(MessageFor("consumer = 1\n[source]\nkind = 'range'\ncount = 1"), HasSubstr("write [consumer]"));
}

TEST(ParseScenario, NamesTheLineOfAPipelineThatCannotWork) {
  EXPECT_EQ(MessageInOp("map", "name = 'a'\ntransforms = ['decode',\n'hwc_to_chw',\n'decode']"),
            "x.toml:7: [[op]] a: transforms: decode: the rows are decoded already");
  EXPECT_EQ(MessageInOp("map", "transforms = []"),
            "x.toml:4: [[op]] map: transforms: are empty; a map needs at least one, or one_hot");
  EXPECT_THAT(MessageInOp("map", "serial = true\nworkers = 2\ntransforms = ['decode']"),
              HasSubstr("x.toml:5: "));
  EXPECT_THAT(MessageInOp("shuffle", "serial = false"),
              HasSubstr("x.toml:4: [[op]] shuffle (number 1): serial"));
  EXPECT_EQ(MessageInOp("shuffle", "serial = true"), "valid");
  EXPECT_THAT(MessageFor("epochs = 0\n[source]\nkind = 'range'\ncount = 0"),
              HasSubstr("x.toml:2: [source]: leaves"));
  EXPECT_THAT(MessageInOp("shuffle", "name = 'x'\n[[op]]\nkind = 'batch'\nsize = 1\nname = 'x'"),
              HasSubstr("x.toml:8: [[op]] x: name: 'x' is the name of an earlier op too"));
}

TEST(ParseScenario, SurvivesFilesMadeToExhaustIt) {
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_THAT(MessageFor(deep + " = 1"), HasSubstr("dots"));
  EXPECT_THAT(MessageFor(deep.substr(0, 16'000) + "a = 1"), HasSubstr("unknown key 'a'"));
  EXPECT_THAT(MessageFor("a = " + std::string(100'000, '[')), HasSubstr("x.toml:1: "));
  EXPECT_THAT(MessageFor(std::string(1 << 20, ' ')), HasSubstr("too long for a scenario"));
}

}  // namespace
}  // namespace sluice::runtime
