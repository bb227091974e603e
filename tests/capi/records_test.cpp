#include <array>
#include <optional>
#include <string>
#include <thread>

#include "described.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/segment_view.h"

namespace sluice::capi {
namespace {

using probes::segment::kDecisionRing;

// As a trainer reads what an agent in another process writes.
class Records : public Described {
 protected:
  void Write(const std::string& json) {
    if (!agent_) agent_ = std::move(*probes::KnobRequester::Open(sluice_path(get())));
    EXPECT_TRUE(agent_->LogDecision(MonoTime{++written_}, json));
  }
  // "": there is none yet.
  std::string Next(const sluice_segment* segment) {
    std::array<char, SLUICE_RECORD_SIZE> text{};
    EXPECT_EQ(sluice_next_record(segment, &cursor_, &at_, text.data(), text.size()), SLUICE_OK);
    return text.data();
  }
  std::string Next() { return Next(get()); }

  std::optional<probes::KnobRequester> agent_;
  std::int64_t written_ = 0, at_ = 0;
  std::uint64_t cursor_ = 0;
};

TEST_F(Records, ComeOnceAndInTheirOrder) {
  EXPECT_EQ(Next(), "");
  Write("one");
  Write("two");
  EXPECT_EQ(Next(), "one");
  EXPECT_EQ(at_, 1);
  EXPECT_EQ(Next(), "two");
  EXPECT_EQ(Next(), "");
  Write("three");
  EXPECT_EQ(Next(), "three");
  EXPECT_EQ(at_, 3);
  EXPECT_EQ(cursor_, 3u);
}

TEST_F(Records, ThoseThatWereOverwrittenAreLeftOut) {
  for (std::uint32_t i = 0; i < 3 * kDecisionRing + 5; ++i) Write(std::to_string(i));
  for (std::uint32_t i = 2 * kDecisionRing + 5; i < 3 * kDecisionRing + 5; ++i)
    ASSERT_EQ(Next(), std::to_string(i));
  EXPECT_EQ(Next(), "");
}

TEST_F(Records, OneThatIsBeingWrittenIsNotThereYet) {
  Write("one");
  const auto view = probes::SegmentView::Open(sluice_path(get()));
  view->decision(0)->sequence = 1;
  EXPECT_EQ(Next(), "");
  view->decision(0)->sequence = 2;
  EXPECT_EQ(Next(), "one");
  view->decision(0)->sequence = 2 * kDecisionRing + 1;  // the ring has come round
  view->decision(1)->sequence = 4;
  cursor_ = 0;
  EXPECT_EQ(Next(), "") << "what was there is gone, and the second one is empty";
  EXPECT_EQ(cursor_, 2u);
}

// Longer than a word, and the same all over: two records in one would show.
TEST_F(Records, NoneIsMixedWithTheOneThatTakesItsPlace) {
  constexpr int kLast = 40 * static_cast<int>(kDecisionRing);
  const auto text_of = [](int i) {
    std::string text;
    while (text.size() < 400) text += std::to_string(i) + ' ';
    return text;
  };
  std::thread writer([&] {
    for (int i = 1; i <= kLast; ++i) Write(text_of(i));
  });
  for (int before = 0; before < kLast;) {
    const std::string text = Next();
    if (text.empty()) continue;
    const int now = std::stoi(text);
    EXPECT_GT(now, before);
    EXPECT_EQ(text, text_of(now));
    before = now;
  }
  writer.join();
}

TEST_F(Records, EachReaderHasItsOwnCursor) {
  Write("one");
  sluice_segment* attached = nullptr;
  ASSERT_EQ(sluice_attach(sluice_path(get()), &attached), SLUICE_OK);
  EXPECT_EQ(Next(attached), "one");
  cursor_ = 0;
  EXPECT_EQ(Next(), "one");
  sluice_close(attached);
}

TEST_F(Records, ARecordWithoutAnEndIsCut) {
  Write("one");
  const auto view = probes::SegmentView::Open(sluice_path(get()));
  for (auto& word : view->decision(0)->text) word = 0x7878787878787878;
  EXPECT_EQ(Next(), std::string(SLUICE_RECORD_SIZE - 1, 'x'));
}

TEST_F(Records, WrongCallsAreRefused) {
  std::array<char, SLUICE_RECORD_SIZE> text{};
  EXPECT_EQ(sluice_next_record(nullptr, &cursor_, &at_, text.data(), text.size()), SLUICE_INVALID);
  EXPECT_EQ(sluice_next_record(get(), nullptr, &at_, text.data(), text.size()), SLUICE_INVALID);
  EXPECT_EQ(sluice_next_record(get(), &cursor_, nullptr, text.data(), text.size()), SLUICE_INVALID);
  EXPECT_EQ(sluice_next_record(get(), &cursor_, &at_, nullptr, text.size()), SLUICE_INVALID);
  EXPECT_EQ(sluice_next_record(get(), &cursor_, &at_, text.data(), text.size() - 1), SLUICE_INVALID);
  EXPECT_NE(std::string(sluice_last_error()).find("SLUICE_RECORD_SIZE"), std::string::npos);
}

TEST_F(Records, TheRankIsTheLaunchers) {
  EXPECT_EQ(sluice_rank(get()), -1);
  EXPECT_EQ(sluice_rank(nullptr), -1);
  setenv("RANK", "3", 1);
  setenv("WORLD_SIZE", "4", 1);
  EXPECT_EQ(sluice_rank(Make().get()), 3);
  unsetenv("RANK");
  unsetenv("WORLD_SIZE");
}

}  // namespace
}  // namespace sluice::capi
