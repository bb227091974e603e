// Spans of a pipeline that works and is resized all the time: each item is told once, whoever worked on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "probes/temp_folder.h"
#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/probes/span_tap.h"
#include "stress/rounds.h"

namespace sluice::stress {
namespace {

struct Numbers {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
using Runs = std::vector<Numbers>;

runtime::PipelineDescription CheapAndDear() {
  runtime::Describe p("traced");
  p.Seed(7).Epochs(0).Memory(32_MiB);
  p.Range(1000);
  p.Map("cheap", [](runtime::Item& item) { item.label += 1; });
  p.Synthetic("dear",
              {.burn = Distribution{Distribution::Kind::kExponential, std::chrono::microseconds(150)}});
  p.Batch(4);
  return p;
}

void ExpectOnce(Runs runs, const std::string& what) {
  std::ranges::sort(runs, {}, &Numbers::first);
  for (std::size_t i = 1; i < runs.size(); ++i)
    ASSERT_LE(runs[i - 1].first + runs[i - 1].count, runs[i].first) << what << ", run " << i;
}

TEST(Trace, TellsEachItemOnceDuringChanges) {
  const probes::TempFolder folder;
  runtime::PipelineOptions options = runtime::Private();
  options.shared_segment = true;
  options.segment_folder = folder.path() + "/sluice";
  const auto pipeline = runtime::MustBuild(CheapAndDear(), options);
  auto tap = probes::SpanTap::Open(pipeline->segment_path());
  ASSERT_TRUE(tap.has_value()) << tap.error().message;
  tap->Ask(MonoTime(INT64_MAX));
  const runtime::Watchdog watchdog(*pipeline);
  std::map<std::uint32_t, std::optional<OpId>> op_of;
  std::map<std::optional<OpId>, Runs> took, made;
  std::map<std::optional<OpId>, std::uint64_t> told;
  std::uint64_t lost = 0;
  const auto look = [&] {
    for (const probes::SpanTrack& track : tap->Tracks(MonoTime(INT64_MAX))) op_of[track.track] = track.op;
    const probes::TakenSpans taken = tap->Take();
    lost += taken.lost;
    for (const probes::WorkerSpan& span : taken.spans) {
      const std::optional<OpId> op = op_of.at(span.track);
      if (span.took.run > 0) took[op].push_back({span.took.first, span.took.run});
      if (span.made.run > 0) made[op].push_back({span.made.first, span.made.run});
      told[op] += span.made.count;
    }
  };
  {
    const runtime::RandomResizer resizer(*pipeline, 5);
    pipeline->Start();
    runtime::Item item;
    for (std::uint64_t n = 1; resizer.changes() < Rounds(1500); ++n) {
      ASSERT_NE(pipeline->Next(item), runtime::Pipeline::Got::kError);
      if (n % 16 == 0) look();
    }
  }
  ASSERT_TRUE(
      pipeline->StopWithin(std::chrono::minutes(1)));  // workers that leave tell what they had gathered
  look();
  ASSERT_EQ(made.size(), 4u);
  for (const auto& [op, runs] : made) ExpectOnce(runs, fmt::format("made by op {}", Index(*op)));
  for (const auto& [op, runs] : took)
    ExpectOnce(runs, op ? fmt::format("taken by op {}", Index(*op)) : "by the consumer");
  const Snapshot now = runtime::ReadCounters(*pipeline);
  for (const auto& [op, runs] : made) {
    if (lost == 0) {
      EXPECT_EQ(told[op], now.connectors[Index(*op)].pushed) << Index(*op);
    }
  }
}

}  // namespace
}  // namespace sluice::stress
