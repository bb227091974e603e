#include "sluice/base/text.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(ParseDuration, TakesEveryUnitAndFractions) {
  EXPECT_EQ(ParseDuration("250ns"), Nanos(250));
  EXPECT_EQ(ParseDuration("12.5us"), Nanos(12'500));
  EXPECT_EQ(ParseDuration("30 ms"), milliseconds(30));
  EXPECT_EQ(ParseDuration("2min"), std::chrono::minutes(2));
}

TEST(ParseDuration, RefusesWhatIsNoDurationAndShowsAnExample) {
  for (const char* text : {"", "30", "ms", "-1ms", "1e30s", "nan s", "3 parsecs", "30ms "}) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().message.find("duration"), std::string::npos);
  }
}

TEST(ParseBytes, TellsBinaryFromDecimalUnits) {
  EXPECT_EQ(ParseBytes("64KiB"), 64_KiB);
  EXPECT_EQ(ParseBytes("1.5GiB"), Bytes{1'610'612'736});
  EXPECT_EQ(ParseBytes("1GB"), Bytes{1'000'000'000});
  EXPECT_FALSE(ParseBytes("12").has_value());
}

TEST(Format, KeepsThreeSignificantDigits) {
  EXPECT_EQ(FormatDuration(Nanos(999)), "999ns");
  EXPECT_EQ(FormatDuration(microseconds(1234)), "1.23ms");
  EXPECT_EQ(FormatDuration(milliseconds(999)), "999ms");
  EXPECT_EQ(FormatBytes(Bytes{39'216'742}), "37.4 MiB");
  EXPECT_EQ(FormatCount(12'345), "12.3 k");
  EXPECT_EQ(FormatRate(0.07812), "0.0781");
  EXPECT_EQ(FormatRate(75.04), "75");
  EXPECT_EQ(FormatRate(9177.4), "9177");
}

TEST(Nearest, FindsATypoAndLeavesStrangersAlone) {
  EXPECT_EQ(Nearest("capcity", {"workers", "capacity"}), "capacity");
  EXPECT_EQ(Nearest("colour", {"workers", "capacity"}), "");
  EXPECT_EQ(Nearest("x", {}), "");
}

TEST(FormatPercent, HasADecimalOnlyWhereItTells) {
  EXPECT_EQ(FormatPercent({0}), "0%");
  EXPECT_EQ(FormatPercent({0.0004}), "<0.1%");
  EXPECT_EQ(FormatPercent({0.004}), "0.4%");
  EXPECT_EQ(FormatPercent({0.0949}), "9%");
  EXPECT_EQ(FormatPercent({1}), "100%");
  EXPECT_EQ(FormatGain(0.95), "+95%");
  EXPECT_EQ(FormatGain(-0.03), "-3%");
  EXPECT_EQ(FormatGain(-0.001), "+0%");
}

}  // namespace
}  // namespace sluice
