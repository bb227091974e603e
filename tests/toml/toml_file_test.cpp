#include "sluice/toml/toml_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::toml {
namespace {

TEST(TomlFile, NamesLineAndColumnOfWhatIsNotToml) {
  const auto table = ParseToml("a = 1\nb = ", "f.toml");
  ASSERT_FALSE(table.has_value());
  EXPECT_THAT(table.error().message, testing::StartsWith("f.toml:2: column"));
}

TEST(TomlFile, RefusesWhatWouldExhaustTheParser) {
  EXPECT_THAT(ParseToml(std::string(300'000, ' '), "f").error().message,
              testing::HasSubstr("is longer than"));
  EXPECT_THAT(ParseToml("a" + std::string(9000, '.'), "f").error().message, testing::HasSubstr("dots"));
}

TEST(TomlFile, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadTomlFile("no/such/file").error().message,
            "no/such/file: cannot be opened: No such file or directory");
  EXPECT_THAT(ReadTomlFile("/").error().message, testing::HasSubstr("is it a folder?"));
}

}  // namespace
}  // namespace sluice::toml
