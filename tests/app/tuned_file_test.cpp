#include "loaders/tuned_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using ::testing::HasSubstr;

TunedFile Sample() {
  TunedFile file{.cpu = "Some \"CPU\" @ 2.5GHz", .cores = 7.5, .loaders = {}};
  file.loaders.push_back({.program = "train.py: loader (Photos)",
                          .rank = 1,
                          .knobs = {{"fetch.capacity", 29}, {"fetch.workers", 16}},
                          .rate = 22.958});
  file.loaders.push_back(
      {.program = "train.py: val (Photos)", .rank = {}, .knobs = {{"fetch.workers", 2}}, .rate = 0});
  return file;
}

std::string ErrorOf(const std::string& text) {
  const auto file = ParseTuned(text, "tuned.toml");
  return file ? "" : file.error().message;
}

TEST(TunedFile, WhatIsWrittenIsReadBack) {
  const auto read = ParseTuned(TunedToml(Sample()), "tuned.toml");
  ASSERT_TRUE(read) << read.error().message << TunedToml(Sample());
  EXPECT_EQ(read->cpu, Sample().cpu);
  EXPECT_EQ(read->cores, 7.5);
  ASSERT_EQ(read->loaders.size(), 2u);
  EXPECT_EQ(read->loaders[0].program, "train.py: loader (Photos)");
  EXPECT_EQ(read->loaders[0].rank, 1);
  EXPECT_EQ(read->loaders[0].knobs[1].name, "fetch.workers");
  EXPECT_EQ(read->loaders[0].knobs[1].value, 16);
  EXPECT_NEAR(read->loaders[0].rate, 22.958, 1e-9);
  EXPECT_FALSE(read->loaders[1].rank);
}

TEST(TunedFile, ALoaderIsKnownByScriptLoaderDataSetAndRank) {
  const TunedFile file = Sample();
  EXPECT_EQ(file.For("train.py: loader (Photos)", 1), &file.loaders[0]);
  EXPECT_EQ(file.For("train.py: loader (Photos)", 3), &file.loaders[0]) << "ranks of a run differ little";
  EXPECT_EQ(file.For("train.py: loader (Words)", 1), nullptr);
}

TEST(TunedFile, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(ErrorOf("version = 1\n"), HasSubstr("cores"));
  EXPECT_THAT(ErrorOf("version = 7\ncores = 2\n"), HasSubstr("--save"));
  EXPECT_THAT(ErrorOf("version = 1\ncores = 2\n[[loader]]\nprogram = \"x\"\n"), HasSubstr("knobs"));
  const std::string head = "version = 1\ncores = 2\n[[loader]]\nprogram = \"x\"\n";
  EXPECT_THAT(ErrorOf(head + "knobs = {\"fetch.workers\" = -3}\n"), HasSubstr("fetch.workers"));
  EXPECT_THAT(ErrorOf(head + "knobs = {\"fetch.workers\" = \"all\"}\n"), HasSubstr("tuned.toml:5"));
  EXPECT_THAT(ErrorOf(head + "knob = {}\nknobs = {}\n"), HasSubstr("did you mean 'knobs'"));
  EXPECT_THAT(ErrorOf("version = 1\ncores = 2\nloader = 3\n"), HasSubstr("[[loader]]"));
  EXPECT_THAT(ErrorOf("version = 1\ncores = -2\n"), HasSubstr("cores: must be 0 to 1e9"));
  EXPECT_THAT(ErrorOf(head + "knobs = {}\nrate = -5\n"), HasSubstr("rate: must be 0 to 1e9"));
}

TEST(TunedFile, AnotherMachinesFileIsNotTrusted) {
  const TunedFile file = Sample();
  EXPECT_EQ(WhyNotHere(file, file.cpu, 7.5), "");
  EXPECT_THAT(WhyNotHere(file, file.cpu, 4), HasSubstr("7.5 cores, here are 4"));
  EXPECT_THAT(WhyNotHere(file, "Another CPU", 7.5), HasSubstr("another CPU"));
  EXPECT_EQ(WhyNotHere(file, "", 7.5), "") << "unknown is not another";
}

TEST(TunedFile, NamesOfAnyTextAreReadBack) {
  TunedFile file = Sample();
  for (const char* odd : {"a\nb", "a\tb", "'''", "\"\"\"", "a\\b", "\x01", "d\u00e9", "", "x = 1"}) {
    file.cpu = file.loaders[0].program = odd;
    file.loaders[0].knobs = {{odd, 7}};
    const auto read = ParseTuned(TunedToml(file), "tuned.toml");
    ASSERT_TRUE(read) << read.error().message << TunedToml(file);
    EXPECT_EQ(read->cpu, odd);
    EXPECT_EQ(read->loaders[0].program, odd);
    EXPECT_EQ(read->loaders[0].knobs[0].name, odd);
  }
}

}  // namespace
}  // namespace sluice::app
