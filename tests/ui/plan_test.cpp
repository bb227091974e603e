#include "sluice/ui/plan.h"

#include <gtest/gtest.h>

#include <string_view>

namespace sluice::ui {
namespace {

Plan Made() {
  Plan plan{.of = "mixed.toml", .name = "mixed"};
  plan.fields = {{.name = "tuning", .value = "tune", .choices = {"tune", "advise", "off"}, .first = "tune"},
                 {.name = "duration"},
                 {.name = "decode.workers", .value = "2", .range = KnobRange{1, 64}, .first = "2"}};
  return plan;
}

Plan Typed(Plan plan, std::u32string_view text) {
  for (const char32_t c : text) plan = WithTyped(std::move(plan), c);
  return plan;
}

TEST(PlanField, TakesWhatIsTypedInsteadOfItsValueAndThenMore) {
  Plan plan = Typed(WithChosen(Made(), 2), U"12");
  EXPECT_EQ(plan.fields[2].value, "12");
  EXPECT_TRUE(plan.fields[2].changed());
  plan = WithErased(std::move(plan));
  EXPECT_EQ(plan.fields[2].value, "1");
  plan = Typed(WithRow(WithRow(std::move(plan), 1), -1), U"7");
  EXPECT_EQ(plan.fields[2].value, "7") << "chosen anew, it is typed anew";
}

TEST(PlanField, IsErasedByWholeCharacters) {
  Plan plan = Typed(WithChosen(Made(), 1), U"ä€𝄞");
  EXPECT_EQ(plan.fields[1].value, "ä€𝄞");
  plan = WithErased(WithErased(std::move(plan)));
  EXPECT_EQ(plan.fields[1].value, "ä");
  plan = WithErased(WithErased(std::move(plan)));
  EXPECT_EQ(plan.fields[1].value, "");
  EXPECT_EQ(WithErased(WithChosen(Made(), 2)).fields[2].value, "")
      << "what stood there can be erased as well";
}

TEST(PlanField, OfChoicesIsOneOfThemWhateverIsTyped) {
  EXPECT_EQ(Typed(Made(), U"x").fields[0].value, "tune");
  EXPECT_EQ(WithErased(Made()).fields[0].value, "tune");
  EXPECT_EQ(WithStep(Made(), 1).fields[0].value, "advise");
  EXPECT_EQ(WithStep(Made(), -1).fields[0].value, "off");
  EXPECT_EQ(WithStep(Made(), 3).fields[0].value, "tune");
}

TEST(PlanField, StepsWithinItsRange) {
  Plan plan = WithChosen(Made(), 2);
  EXPECT_EQ(WithStep(plan, 1).fields[2].value, "3");
  EXPECT_EQ(WithStep(plan, -5).fields[2].value, "1");
  EXPECT_EQ(WithStep(plan, 100).fields[2].value, "64");
  plan.fields[2].value = "many";
  EXPECT_EQ(WithStep(plan, 1).fields[2].value, "2") << "from the least on where there is no number";
  EXPECT_EQ(WithStep(WithChosen(Made(), 1), 1).fields[1].value, "") << "a text has no steps";
}

TEST(PlanField, IsBounded) {
  Plan plan = WithChosen(Made(), 1);
  for (int i = 0; i < 10'000; ++i) plan = WithTyped(std::move(plan), 'a');
  EXPECT_EQ(plan.fields[1].value.size(), 4096u);
}

TEST(PlanRow, GoesAllAround) {
  EXPECT_EQ(WithRow(Made(), -1).row, 2u);
  EXPECT_EQ(WithRow(Made(), 4).row, 1u);
  EXPECT_EQ(WithRow(Plan{}, 1).row, 0u);
}

TEST(WhatIsWrong, NamesTheFieldItsValueAndTheRange) {
  EXPECT_EQ(WhatIsWrong(Made()), "");
  for (const auto* typed : {U"0", U"65", U"", U"3x", U" 3", U"99999999999999999999", U"2.5"}) {
    Plan plan = WithErased(WithChosen(Made(), 2));
    plan = Typed(std::move(plan), typed);
    EXPECT_EQ(WhatIsWrong(plan),
              "decode.workers: '" + plan.fields[2].value + "' is no whole number from 1 to 64");
  }
  EXPECT_EQ(WhatIsWrong(Typed(WithChosen(Made(), 2), U"64")), "");
}

}  // namespace
}  // namespace sluice::ui
