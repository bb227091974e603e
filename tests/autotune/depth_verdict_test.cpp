#include "sluice/autotune/depth_verdict.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

namespace sluice::autotune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kCapacity = 16;
constexpr std::size_t kLooks = 100;

// read -> map -> batch -> consumer over a minute: `fill` of the connectors, cores that each op uses.
struct Minute {
  std::vector<double> fill = {0.9, 0.9, 0.9};
  std::vector<double> cores = {1, 2, 1};
  double starved = 0.8;  // of the consumer's time; negative: not known
  double process = 4;
  bool cpu_known = true;
};

std::shared_ptr<const Graph> Chain() {
  Graph graph;
  graph.ops = {{"read", "source"}, {"map", "map"}, {"batch", "batch"}};
  for (std::uint32_t i = 0; i < 3; ++i)
    graph.connectors.push_back({"c", OpId{i}, i < 2 ? std::optional(OpId{i + 1}) : std::nullopt});
  return std::make_shared<const Graph>(std::move(graph));
}

Snapshot After(const Minute& minute, double seconds, const std::shared_ptr<const Graph>& graph = Chain()) {
  Snapshot now;
  now.at = std::chrono::seconds(1) + FromSeconds(seconds);
  now.graph = graph;
  now.budget.cores = 16;
  now.cpu_known = minute.cpu_known;
  now.process_cpu = FromSeconds(minute.process * seconds);
  now.consumer.items = static_cast<std::uint64_t>(10 * seconds);
  now.consumer.timed = minute.starved >= 0;
  now.consumer.starved = FromSeconds(std::max(minute.starved, 0.0) * seconds);
  now.consumer.busy = FromSeconds(minute.starved >= 0 ? (1 - minute.starved) * seconds : 0);
  for (const double cores : minute.cores) {
    OpReading op;
    op.workers = 4;
    if (minute.cpu_known) op.on_cpu = FromSeconds(cores * seconds);
    now.ops.push_back(op);
  }
  for (const double fill : minute.fill) {
    ConnectorReading connector;
    connector.capacity = static_cast<std::uint64_t>(kCapacity);
    connector.depth_seconds = fill * kCapacity * seconds;
    connector.empty = FromSeconds(fill < 0.1 ? (1 - fill) * seconds : 0);
    now.connectors.push_back(connector);
  }
  return now;
}

Verdict Of(const Minute& minute, const std::shared_ptr<const Graph>& graph = Chain()) {
  return DepthVerdict(After(minute, 0, graph), After(minute, 60, graph), kLooks);
}

TEST(DepthVerdict, BlamesTheOpWhoseInputLiesReadyAndWhoseOutputIsGone) {
  const Verdict verdict = Of({.fill = {0.95, 0.03, 0.01}, .cores = {1, 3.6, 0.2}});
  EXPECT_EQ(verdict.limit, Limit::kOp);
  EXPECT_EQ(verdict.op, 1u);
  EXPECT_THAT(verdict.sentence,
              AllOf(HasSubstr("map limits the run: what it takes lies ready"),
                    HasSubstr("95% before it and 3% behind"), HasSubstr("the consumer waits 80% of its time"),
                    HasSubstr("4 workers use 90% of a core each: give it more")));
  EXPECT_GE(verdict.confidence.value, 0.8);
}

TEST(DepthVerdict, BlamesTheSourceWhereEverythingBehindItLiesEmpty) {
  const Verdict verdict = Of({.fill = {0.02, 0.01, 0.01}, .cores = {0.2, 0.1, 0.1}});
  EXPECT_EQ(verdict.op, 0u);
  EXPECT_THAT(verdict.sentence,
              AllOf(HasSubstr("read limits the run: what it gives is gone at once"),
                    HasSubstr("5% of a core each, so they mostly wait"), HasSubstr("for what is not known")));
}

TEST(DepthVerdict, DoesNotGuessWhatAnOpWithoutCpuTimeIsAt) {
  const Verdict verdict = Of({.fill = {0.95, 0.03, 0.01}, .cpu_known = false});
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("its CPU time is not known"), Not(HasSubstr("storage"))));
}

TEST(DepthVerdict, NamesTheConsumerWhereItHardlyWaits) {
  const Verdict verdict = Of({.starved = 0.01});
  EXPECT_EQ(verdict.limit, Limit::kConsumer);
  EXPECT_THAT(verdict.sentence, HasSubstr("waits 1% of its time; nothing to do"));
}

TEST(DepthVerdict, TellsByTheLastConnectorWhereWaitsAreNotKnown) {
  EXPECT_EQ(Of({.starved = -1}).limit, Limit::kConsumer);
  const Verdict verdict = Of({.fill = {0.95, 0.03, 0.01}, .starved = -1});
  EXPECT_EQ(verdict.limit, Limit::kOp);
  EXPECT_THAT(
      verdict.sentence,
      HasSubstr(
          "how long the consumer waits is not known, and the connector before it is empty 99% of the time"));
}

TEST(DepthVerdict, NamesTheCoresWhereAllAreInUse) {
  const Verdict verdict = Of({.fill = {0.95, 0.03, 0.01}, .process = 15.9});
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence, HasSubstr("15.90 of the machine's 16 are in use"));
}

TEST(DepthVerdict, SaysThatItCannotTellWhereNoOpStandsOut) {
  const Verdict little = Of({.fill = {0.75, 0.5, 0.25}});
  EXPECT_EQ(little.limit, Limit::kUnknown);
  EXPECT_THAT(little.sentence, HasSubstr("no op stands out"));
  const Verdict ready = Of({.fill = {0.9, 0.9, 0.9}, .starved = 0.5});
  EXPECT_EQ(ready.limit, Limit::kUnknown);
  EXPECT_THAT(ready.sentence, HasSubstr("although items lie ready most of the time"));
}

TEST(DepthVerdict, AdvisesNoWorkersForAnOpThatCannotHaveThem) {
  Graph graph = *Chain();
  graph.ops[1].serial = true;
  const Verdict verdict = Of({.fill = {0.95, 0.03, 0.01}}, std::make_shared<const Graph>(std::move(graph)));
  EXPECT_EQ(verdict.limit, Limit::kSerialOp);
  EXPECT_THAT(verdict.sentence, HasSubstr("cannot have more: make it cheaper"));
}

// One input of a zip lies full, as the other is waited for: its op is the limit, not the zip.
TEST(DepthVerdict, FollowsTheInputThatIsWaitedFor) {
  Graph graph;
  graph.ops = {{"fast", "source"}, {"slow", "source"}, {"zip", "zip"}};
  graph.connectors = {{"a", OpId{0}, OpId{2}}, {"b", OpId{1}, OpId{2}}, {"c", OpId{2}, std::nullopt}};
  const Verdict verdict = Of({.fill = {1.0, 0.05, 0.02}}, std::make_shared<const Graph>(std::move(graph)));
  EXPECT_EQ(verdict.op, 1u);
}

TEST(DepthVerdict, IsLessSureAfterFewLooks) {
  const Minute minute{.fill = {0.95, 0.03, 0.01}};
  EXPECT_LT(DepthVerdict(After(minute, 0), After(minute, 60), 2).confidence.value, 0.5);
}

TEST(DepthVerdict, SaysThatItIsStillMeasuring) {
  const Snapshot now = After({}, 0);
  EXPECT_THAT(DepthVerdict(now, now, 0).sentence, HasSubstr("measuring"));
}

}  // namespace
}  // namespace sluice::autotune
