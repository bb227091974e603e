#include "data_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::formats::internal {
namespace {

std::string With(const std::string& count, const std::string& classes = "10") {
  return R"({"kind": "cifar10", "seed": 7, "version": 1, "classes": )" + classes + R"(, "count": )" + count +
         "}";
}

TEST(Manifest, WhatIsWrittenIsReadBack) {
  const DataContents contents{.kind = "cifar10", .count = 50000, .seed = ~std::uint64_t{0}, .classes = 10};
  EXPECT_EQ(ParseManifest(ManifestText(contents, true)), contents);
}

TEST(Manifest, NumbersThatAreNoCountsAreRefused) {
  EXPECT_TRUE(ParseManifest(With("3")));
  for (const char* bad : {"-3", "1.5", "1e300", "18446744073709551616", "\"3\"", "null", "[]"})
    EXPECT_FALSE(ParseManifest(With(bad))) << bad;
  EXPECT_FALSE(ParseManifest(With("3", "4294967296"))) << "more classes than an int holds";
  for (const char* bad : {"", "{}", "[1]", "{\"kind\": 3}"}) EXPECT_FALSE(ParseManifest(bad)) << bad;
}

}  // namespace
}  // namespace sluice::formats::internal
