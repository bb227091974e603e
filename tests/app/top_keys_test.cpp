#include "top/top_keys.h"

#include <gmock/gmock.h>

namespace sluice::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using ui::Ask;
using ui::Wish;

class TopKeysTest : public testing::Test {
 protected:
  TopKeysTest() {
    scene_.now.knobs = {{.id = {KnobKind::kWorkers, 0}, .name = "fetch.workers", .max = 64},
                        {.id = {KnobKind::kWorkers, 1}, .name = "decode.workers", .max = 16},
                        {.id = {KnobKind::kCapacity, 1}, .name = "decode.capacity", .max = 4096}};
    scene_.steering = ui::SteeringSeen{.open = true, .tuning = "tuning"};
  }
  std::vector<Wish> Press(std::string_view bytes) { return keys_.Press(bytes, scene_); }
  [[nodiscard]] std::string line() const { return keys_.Lines(scene_)[0]; }
  [[nodiscard]] std::string below() const { return keys_.Lines(scene_)[1]; }

  ui::Scene scene_;
  TopKeys keys_;
};

TEST_F(TopKeysTest, AKnobIsSetByItsNameAndValueAndForetoldBefore) {
  EXPECT_THAT(line(), "The tuner is tuning.");
  EXPECT_THAT(Press("kdecode.workers "), IsEmpty());
  EXPECT_EQ(line(), "set: decode.workers _");
  EXPECT_EQ(below(), "1 in force, 1 to 16, takes effect at once");
  EXPECT_THAT(Press("4"), ElementsAre(Wish{Ask::kForecast, {{"decode.workers", 4}}}));
  EXPECT_THAT(Press(" "), IsEmpty()) << "once";
  scene_.steering->forecast =
      ui::ForecastSeen{.knobs = {{"decode.workers", 4}}, .refused = "too little has been measured"};
  EXPECT_EQ(below(), "too little has been measured");
  EXPECT_THAT(Press("\r"), ElementsAre(Wish{Ask::kSet, {{"decode.workers", 4}}}));
  EXPECT_THAT(below(), HasSubstr("q leave"));
}

TEST_F(TopKeysTest, WhatIsTypedWronglyIsSaidAndStays) {
  EXPECT_THAT(Press("kdecode.workerz 4\r"), IsEmpty());
  EXPECT_EQ(below(), "there is no knob decode.workerz; did you mean decode.workers?");
  EXPECT_THAT(Press("\x15"
                    "decode.workers 17\r"),
              IsEmpty());
  EXPECT_EQ(below(),
            "decode.workers takes a whole number from 1 to 16, or bounds for the tuner, such as 1..16");
  EXPECT_THAT(Press("\x7f\r"), ElementsAre(Wish{Ask::kSet, {{"decode.workers", 1}}}));
}

TEST_F(TopKeysTest, TwoDotsBoundTheTuner) {
  const auto bound = [&](const char* typed, std::optional<ui::KnobRange> range) {
    EXPECT_THAT(Press(std::string("kdecode.workers ") + typed + "\r"),
                ElementsAre(Wish{Ask::kBound, {{"decode.workers", 0}}, range}))
        << typed;
  };
  bound("2..8", ui::KnobRange{2, 8});
  bound("3..", ui::KnobRange{3, 16});
  bound("..3", ui::KnobRange{1, 3});
  bound("..", std::nullopt);
  for (const char* wrong : {"8..2", "0..2", "2..17", "..x"}) {
    EXPECT_THAT(Press(std::string("kdecode.workers ") + wrong + "\r"), IsEmpty()) << wrong;
    EXPECT_THAT(below(), HasSubstr("such as 1..16")) << wrong;
    EXPECT_THAT(Press("\x1b"), IsEmpty());
  }
}

TEST_F(TopKeysTest, TabGoesAsFarAsAllFittingNamesDo) {
  EXPECT_THAT(Press("kde\t"), IsEmpty());
  EXPECT_EQ(line(), "set: decode._");
  EXPECT_THAT(Press("w\t"), IsEmpty());
  EXPECT_EQ(line(), "set: decode.workers _");
  EXPECT_THAT(Press("\x15pin f\t\r"), ElementsAre(Wish{Ask::kPin, {{"fetch.workers", 0}}}));
}

TEST_F(TopKeysTest, KeysHoldUndoRedoAndLeave) {
  EXPECT_THAT(Press("hur"), ElementsAre(Wish{Ask::kHold, {}}, Wish{Ask::kUndo, {}}, Wish{Ask::kRedo, {}}));
  scene_.steering->held_by = "alice";
  EXPECT_THAT(Press("h"), ElementsAre(Wish{Ask::kResume, {}}));
  EXPECT_THAT(Press("kq\x1b[D\x1b"), IsEmpty());
  EXPECT_FALSE(keys_.leaving()) << "it was typed into the line, which Esc has left";
  EXPECT_THAT(Press("q"), IsEmpty());
  EXPECT_TRUE(keys_.leaving());
}

TEST_F(TopKeysTest, CharactersGoWholeAndLinesEnd) {
  EXPECT_THAT(Press("kaß\x7f"), IsEmpty());
  EXPECT_EQ(line(), "set: a_");
  EXPECT_THAT(Press(std::string(1000, 'x')), IsEmpty());
  EXPECT_LT(line().size(), 300U);
}

}  // namespace
}  // namespace sluice::app
