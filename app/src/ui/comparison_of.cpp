#include "ui/comparison_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "sluice/exporters/interval.h"
#include "sluice/exporters/session_compare.h"
#include "ui/scene_of.h"

namespace sluice::app {
namespace {

// Of a curve. No more than half a window has room for; each over some items, for one that has none or one
// would tell of the batch size.
constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kItemsPerPoint = 4;

Snapshot ConsumerAt(const exporters::SessionMoment& moment) {
  Snapshot snapshot;
  snapshot.at = moment.at;
  snapshot.consumer = moment.consumer;
  return snapshot;
}

// From one point to the next one, in moments.
std::size_t StepOf(const std::vector<exporters::SessionMoment>& moments) {
  const std::uint64_t last = moments.back().consumer.items;
  const std::size_t items = last - std::min(moments.front().consumer.items, last);
  const std::size_t points = std::clamp<std::size_t>(items / kItemsPerPoint, 1, kMostPoints);
  return (moments.size() + points - 1) / points;
}

ui::Curve RatesOf(const exporters::RecordedPipeline& pipeline, bool in_batches) {
  ui::Curve rates;
  const auto& moments = pipeline.moments;
  const MonoTime start = moments.front().at;
  const std::size_t step = StepOf(moments);
  for (std::size_t from = 0; from + 1 < moments.size(); from += step) {
    const std::size_t to = std::min(from + step, moments.size() - 1);
    const auto seen = exporters::MeasureConsumer(ConsumerAt(moments[from]), ConsumerAt(moments[to]));
    const auto& rate = in_batches ? seen.items : seen.rows;
    if (rate) rates.Add({moments[from].at - start, moments[to].at - start}, rate->per_second);
  }
  return rates;
}

Result<ui::ComparedRun> RunOf(const exporters::SessionReader& session, std::size_t number,
                              const exporters::SettledPart& part) {
  const exporters::RecordedPipeline& pipeline = session.pipelines()[number];
  const MonoTime start = pipeline.moments.front().at;
  const auto first = session.At(number, pipeline.From(start + part.from));
  if (!first) return std::unexpected(first.error());
  const auto last = session.At(number, pipeline.moments.size() - 1);
  if (!last) return std::unexpected(last.error());
  const auto decisions = session.Decisions(number);
  if (!decisions) return std::unexpected(decisions.error());
  ui::ComparedRun run{.scene = SceneOf(first->now, last->now, last->verdict),
                      .rate = part.rate.mean,
                      .rates = RatesOf(pipeline, part.rate.in_batches),
                      .length = last->now.at - start,
                      .changes = part.changes};
  run.scene.name = pipeline.info.name;
  run.scene.watched = ui::Watched::kRecorded;
  run.scene.start = start;
  run.scene.decisions = DecisionsOf(*decisions, last->now.at);
  return run;
}

std::string FullName(const exporters::ComparedPipeline& compared) {
  return compared.rank ? fmt::format("{}, rank {}", compared.name, *compared.rank) : compared.name;
}

Result<ui::ComparedPair> PairOf(const exporters::SessionReader& a, const exporters::SessionReader& b,
                                const exporters::ComparedPipeline& compared) {
  auto run_a = RunOf(a, compared.in_a, compared.a);
  if (!run_a) return std::unexpected(run_a.error());
  auto run_b = RunOf(b, compared.in_b, compared.b);
  if (!run_b) return std::unexpected(run_b.error());
  ui::ComparedPair pair{.name = FullName(compared),
                        .sentence = exporters::ComparisonSentence(compared),
                        .in_batches = compared.a.rate.in_batches,
                        .a = std::move(*run_a),
                        .b = std::move(*run_b)};
  if (!compared.ratio) return pair;
  pair.ratio = compared.ratio->value;
  pair.low = compared.ratio->low;
  pair.high = compared.ratio->high;
  return pair;
}

bool Same(const exporters::ComparedPipeline& compared, const exporters::SessionPipeline& wanted) {
  return compared.name == wanted.name && compared.rank == wanted.rank;
}

// Two files of one name are told apart by their folders.
void NameFiles(ui::Comparison& comparison, const std::string& a, const std::string& b) {
  comparison.a = std::filesystem::path(a).filename();
  comparison.b = std::filesystem::path(b).filename();
  if (comparison.a != comparison.b) return;
  comparison.a = a;
  comparison.b = b;
}

}  // namespace

Result<ui::Comparison> ComparisonOf(const exporters::SessionReader& a, const exporters::SessionReader& b,
                                    std::size_t looked_at) {
  auto compared = exporters::CompareSessions(a, b);
  if (!compared) return std::unexpected(compared.error());
  ui::Comparison comparison{.only_a = std::move(compared->only_a), .only_b = std::move(compared->only_b)};
  NameFiles(comparison, a.path(), b.path());
  const exporters::SessionPipeline& wanted = a.pipelines()[looked_at].info;
  for (const exporters::ComparedPipeline& each : compared->pipelines) {
    auto pair = PairOf(a, b, each);
    if (!pair) return std::unexpected(pair.error());
    if (Same(each, wanted)) comparison.chosen = comparison.pairs.size();
    comparison.pairs.push_back(std::move(*pair));
  }
  return comparison;
}

}  // namespace sluice::app
