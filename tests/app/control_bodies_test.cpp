#include "control/control_bodies.h"

#include <gmock/gmock.h>

namespace sluice::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<Knob>& Knobs() {
  static const std::vector<Knob> knobs = {
      {{KnobKind::kWorkers, 0}, "decode.workers", 2, 3, 1, 16},
      {{KnobKind::kCapacity, 0}, "decode.capacity", 8, 8, 1, 64},
      {{KnobKind::kWorkers, 1}, "batch.workers", 1, 1, 1, 4, TakesEffect::kNextRun},
      {{KnobKind::kWorkers, 2},
       "draw.workers",
       1,
       1,
       1,
       4,
       TakesEffect::kLive,
       Holder::kUser,
       HeldBecause::kRandomDraws}};
  return knobs;
}

TEST(ControlBodies, AChangeIsOfWhatWasAskedForLast) {
  const auto asked = ReadChange(
      R"({"set": {"decode.capacity": 16, "decode.workers": 4}, "pin": true, "because": "try {{{{{{{{{{{{"})",
      Knobs());
  ASSERT_TRUE(asked);
  EXPECT_THAT(asked->changes, ElementsAre(KnobChange{{KnobKind::kCapacity, 0}, 8, 16},
                                          KnobChange{{KnobKind::kWorkers, 0}, 3, 4}));
  EXPECT_THAT(asked->pins, ElementsAre(KnobId{KnobKind::kCapacity, 0}, KnobId{KnobKind::kWorkers, 0}));
  EXPECT_EQ(asked->because, "try {{{{{{{{{{{{");
}

TEST(ControlBodies, WhatIsSoAlreadyChangesNothing) {
  const auto asked = ReadChange(R"({"set": {"decode.workers": 3}})", Knobs());
  ASSERT_TRUE(asked);
  EXPECT_THAT(asked->changes, IsEmpty());
  EXPECT_THAT(asked->pins, IsEmpty());
}

struct Refused {
  const char* body;
  int status;
  std::vector<const char*> told;
};

class ControlBodiesRefused : public testing::TestWithParam<Refused> {};

TEST_P(ControlBodiesRefused, NamesTheFieldTheValueAndTheRemedy) {
  const auto asked = ReadChange(GetParam().body, Knobs());
  ASSERT_FALSE(asked) << GetParam().body;
  EXPECT_EQ(asked.error().status, GetParam().status) << asked.error().why;
  for (const char* told : GetParam().told) EXPECT_THAT(asked.error().why, HasSubstr(told));
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, ControlBodiesRefused,
    testing::Values(
        Refused{"", 400, {"no JSON"}}, Refused{"{\"set\": {", 400, {"no JSON"}},
        Refused{"\xff\xfe", 400, {"no JSON"}}, Refused{"[1]", 400, {"[1]", "send an object"}},
        Refused{"{}", 400, {"set: it is missing"}}, Refused{R"({"set": 4})", 400, {"set"}},
        Refused{R"({"sett": {}})", 400, {"\"sett\"", "there are: set, pin, because"}},
        Refused{
            R"({"set": {"decod.workers": 4}})", 422, {"\"decod.workers\"", "did you mean decode.workers?"}},
        Refused{R"({"set": {"x": 4}})", 422, {"there are: decode.workers, decode.capacity"}},
        Refused{R"({"set": {"decode.workers": 17}})", 422, {"set.decode.workers: 17", "give 1 to 16"}},
        Refused{R"({"set": {"decode.workers": 0}})", 422, {"set.decode.workers: 0", "give 1 to 16"}},
        Refused{R"({"set": {"decode.workers": -9223372036854775808}})", 422, {"give 1 to 16"}},
        Refused{R"({"set": {"decode.workers": 18446744073709551615}})", 422, {"give 1 to 16"}},
        Refused{R"({"set": {"decode.workers": 1e3}})", 400, {"no whole number", "give 1 to 16"}},
        Refused{R"({"set": {"decode.workers": "4"}})", 400, {"\"4\" is no whole number"}},
        Refused{R"({"set": {"decode.workers": 4, "decode.capacity": 99}})", 422, {"set.decode.capacity"}},
        Refused{R"({"set": {"batch.workers": 2}})", 409, {"set.batch.workers: 2", "next run"}},
        Refused{R"({"set": {"draw.workers": 2}})", 409, {"set.draw.workers: 2", "results"}},
        Refused{R"({"set": {"decode.workers": 4}, "pin": 1})", 400, {"pin: 1"}},
        Refused{R"({"set": {"decode.workers": 4}, "because": "a\nb"})", 400, {"because", "control"}},
        Refused{"{\"set\": [[[[[[[[[[[[]]]]]]]]]]]]}", 400, {"nested"}}));

TEST(ControlBodies, ALeaseHasANameAndALength) {
  const auto asked = ReadLease(R"({"name": "alice"})");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->name, "alice");
  EXPECT_EQ(asked->length, std::chrono::seconds(30));
  EXPECT_EQ(ReadLease(R"({"name": "a", "seconds": 2.5})")->length, std::chrono::milliseconds(2500));
}

TEST(ControlBodies, ALeaseOfNobodyOrForEverIsRefused) {
  EXPECT_THAT(ReadLease("{}").error().why, HasSubstr("name: it is missing"));
  EXPECT_THAT(ReadLease(R"({"name": ""})").error().why, HasSubstr("name"));
  EXPECT_THAT(ReadLease(R"({"name": 5})").error().why, HasSubstr("name: 5"));
  EXPECT_THAT(ReadLease("{\"name\": \"" + std::string(65, 'a') + "\"}").error().why, HasSubstr("64"));
  for (const char* seconds : {"0", "3601", "-1", "\"9\"", "1e999", "null"})
    EXPECT_THAT(ReadLease(std::string(R"({"name": "a", "seconds": )") + seconds + "}").error().why,
                testing::AnyOf(HasSubstr("give 1 to 3600"), HasSubstr("no JSON")))
        << seconds;
}

TEST(ControlBodies, BoundsAreWithinTheRunsOwnRange) {
  const auto asked = ReadBounds(
      R"({"bounds": {"decode.workers": {"max": 2}, "decode.capacity": {"min": 2, "max": 20}, "draw.workers": null}})",
      Knobs());
  ASSERT_TRUE(asked) << asked.error().why;
  EXPECT_THAT(asked->bounds, ElementsAre(exporters::KnobBound{{KnobKind::kWorkers, 0}, 1, 2},
                                         exporters::KnobBound{{KnobKind::kCapacity, 0}, 2, 20}));
  EXPECT_EQ(asked->lifted.size(), 1U);
  EXPECT_THAT(asked->changes, ElementsAre(KnobChange{{KnobKind::kWorkers, 0}, 3, 2}));
}

TEST(ControlBodies, BoundsThatAreNoneAreRefused) {
  const auto why = [](const std::string& bounds) {
    const auto asked = ReadBounds("{\"bounds\": " + bounds + "}", Knobs());
    return asked ? "taken" : std::to_string(asked.error().status) + ": " + asked.error().why;
  };
  EXPECT_THAT(why("{}"), HasSubstr("400: bounds: it is missing"));
  EXPECT_THAT(why(R"({"decode.workers": 4})"), HasSubstr("400: bounds.decode.workers: 4 is no range"));
  EXPECT_THAT(why(R"({"decode.workers": {"least": 4}})"), HasSubstr("there are: min, max"));
  EXPECT_THAT(why(R"({"decode.workers": {"max": 17}})"),
              HasSubstr("422: bounds.decode.workers.max: 17 is out"));
  EXPECT_THAT(why(R"({"decode.workers": {"min": 4, "max": 2}})"), HasSubstr("422"));
  EXPECT_THAT(why(R"({"decod.workers": {"min": 4}})"), HasSubstr("did you mean decode.workers"));
  EXPECT_THAT(why(R"({"draw.workers": {"min": 2}})"),
              HasSubstr("409: bounds.draw.workers: it is 1, which is outside"));
}

TEST(ControlBodies, KnobsAreNamedInAList) {
  EXPECT_THAT(*ReadKnobNames(R"({"knobs": ["decode.capacity"]})", Knobs()),
              ElementsAre(KnobId{KnobKind::kCapacity, 0}));
  EXPECT_THAT(ReadKnobNames("{}", Knobs()).error().why, HasSubstr("knobs"));
  EXPECT_THAT(ReadKnobNames(R"({"knobs": [4]})", Knobs()).error().why, HasSubstr("4 is no name"));
  EXPECT_EQ(ReadKnobNames(R"({"knobs": ["x"]})", Knobs()).error().status, 422);
}

TEST(ControlBodies, NothingIsAnEmptyObject) {
  EXPECT_TRUE(ReadNothing(""));
  EXPECT_TRUE(ReadNothing(" {} "));
  EXPECT_THAT(ReadNothing(R"({"a": 1})").error().why, HasSubstr("\"a\""));
}

}  // namespace
}  // namespace sluice::app
