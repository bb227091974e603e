#include "control/journal.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

constexpr KnobChange kMore{{KnobKind::kWorkers, 1}, 4, 6};
constexpr RateSummary kSeen{.windows = kFewWindows, .mean = 900, .noise = 0.05};

TEST(Journal, NumbersDecisionsAndKnowsWhatToExpect) {
  Planned p;
  p.Workers(1).value = p.Workers(1).requested = 4;
  Journal journal;
  journal.Accept(p.seen);
  EXPECT_TRUE(journal.empty());
  EXPECT_EQ(journal.Ask(p.seen, {kMore}, "").id, 1u);
  EXPECT_EQ(journal.Order(p.seen, {kMore}, "").id, 2u);
  EXPECT_FALSE(journal.empty());
  p.Workers(1).value = p.Workers(1).requested = 6;
  EXPECT_FALSE(journal.ChangedByOthers(p.seen));
  p.Workers(1).value = p.Workers(1).requested = 9;
  EXPECT_TRUE(journal.ChangedByOthers(p.seen));
}

TEST(Journal, EndsAnOrderOnceItsRateIsKnown) {
  const Planned p;
  Journal journal;
  const Decision order = journal.Order(p.seen, {kMore}, "it has to be");
  journal.NoteRate({.windows = kFewWindows - 1, .mean = 800});
  EXPECT_TRUE(journal.TakeOutcomes().empty());
  journal.NoteRate(kSeen);
  const auto outcomes = journal.TakeOutcomes();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].decision, order.id);
  EXPECT_EQ(outcomes[0].fate, Fate::kKept);
  EXPECT_EQ(outcomes[0].measured->per_second, 900);
  journal.NoteRate(kSeen);
  EXPECT_TRUE(journal.TakeOutcomes().empty()) << "told once";
}

TEST(Journal, GivesAPieceOfAdviceOnceUntilConditionsChange) {
  const Planned p;
  Journal journal;
  Plan plan;
  plan.changes = {kMore};
  plan.predicted = 1200;
  const Decision first = journal.Advise(plan, 900, "more workers help");
  EXPECT_TRUE(first.advice);
  EXPECT_EQ(first.before.per_second, 900);
  EXPECT_EQ(journal.TakeOutcomes().size(), 1u);
  EXPECT_EQ(journal.Advise(plan, 900, "more workers help").id, 0u);
  journal.Accept(p.seen);
  EXPECT_NE(journal.Advise(plan, 900, "more workers help").id, 0u);
}

}  // namespace
}  // namespace sluice::autotune::testing
