#include "sluice/toml/toml_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/toml/toml_file.h"

namespace sluice::toml {
namespace {

using namespace std::chrono_literals;

Result<Distribution> Time(const std::string& text) {
  const auto table = ParseToml("t = " + text, "f.toml");
  if (!table) return std::unexpected(table.error());
  Distribution time;
  const Place place{"f.toml", ""};
  const auto read = ReadDistribution(TomlValue(*table->get("t"), place, "t"), time);
  if (!read) return std::unexpected(read.error());
  return time;
}

TEST(TomlTimes, AreFixedOrHaveASpread) {
  EXPECT_EQ(Time("'2ms'"), (Distribution{.mean = 2ms}));
  EXPECT_EQ(Time("{dist = 'lognormal', mean = '3s', cv = 0.5}"),
            (Distribution{Distribution::Kind::kLognormal, 3s, 0.5}));
}

TEST(TomlTimes, NeedTheSpreadOfALognormalOne) {
  EXPECT_THAT(Time("{dist = 'lognormal', mean = '3s'}").error().message,
              testing::HasSubstr("the key 'cv' is missing"));
  EXPECT_THAT(Time("{dist = 'normal', mean = '3s'}").error().message,
              testing::HasSubstr("unknown \"normal\""));
  EXPECT_THAT(Time("3").error().message, testing::HasSubstr("must be a duration with its unit"));
}

}  // namespace
}  // namespace sluice::toml
