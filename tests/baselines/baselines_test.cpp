#include "sluice/baselines/baselines.h"

#include <gmock/gmock.h>

#include <set>

namespace sluice::baselines {
namespace {

using ::testing::HasSubstr;

TEST(Baselines, HaveNamesOfTheirOwnAndOfThePublishedRules) {
  std::set<std::string_view> names;
  for (const BaselineInfo& baseline : Baselines()) EXPECT_TRUE(names.insert(baseline.name).second);
  for (const char* name :
       {"static", "cores", "mindspore-older", "mindspore", "tfdata-hill-climb", "tfdata-max-parallelism",
        "tfdata-stage-based", "plumber", "ds2", "cedar", "cachew", "random-walk"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Baselines, AnUnknownNameIsAnErrorThatNamesTheNearest) {
  const auto made = MakeBaseline("cedra", 1);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("did you mean 'cedar'?"));
}

TEST(Baselines, AnUnknownNameThatIsNearNothingListsThemAll) {
  const auto made = MakeBaseline("qqqqqqqqqqqqqqqqqq", 1);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("static, cores, mindspore-older"));
}

}  // namespace
}  // namespace sluice::baselines
