#include "sluice/ui/view_json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sluice/ui/compare_view.h"
#include "sluice/ui/knob_view.h"
#include "sluice/ui/pipeline_view.h"
#include "sluice/ui/strip.h"
#include "sluice/ui/tables.h"
#include "sluice/ui/timeline_view.h"

namespace sluice::ui {
namespace {

using Json = nlohmann::ordered_json;

constexpr Box kRoom{0, 0, 1280, 260};
constexpr std::size_t kColumns = 60;  // of a curve

// Six digits: what a window can show, and the same on every machine.
Json Number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0.0;
  const double unit = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

Json StripJson(const Strip& strip) {
  Json figures = Json::object();
  for (const StripFigure& figure : strip.figures) figures[figure.name] = figure.value;
  return {{"state", StripStateName(strip.state)},
          {"word", strip.word},
          {"sentence", strip.sentence},
          {"next", strip.next},
          {"figures", figures}};
}

Json SteeringJson(const Scene& scene) {
  if (!scene.steering) return nullptr;
  const SteeringView view = DescribeSteering(scene);
  Json advice = Json::object();
  for (const KnobValue& one : view.advice) advice[one.knob] = one.value;
  return {{"open", view.open}, {"line", view.line}, {"held", view.held}, {"advice", advice}};
}

Json NodeJson(const NodeView& node) {
  Json time = Json::array();
  for (const TimePart& part : node.time)
    time.push_back({{"what", part.word}, {"share", Number(part.share.value)}});
  return {
      {"name", node.name}, {"column", node.seat.column}, {"row", node.seat.row}, {"workers", node.workers},
      {"rate", node.rate}, {"mark", node.mark},          {"time", time}};
}

Json PipelineJson(const Scene& scene, const Track& track) {
  const PipelineView view = LayOutPipeline(scene, track, track.all, kRoom, 1);
  Json nodes = Json::array(), edges = Json::array();
  for (const NodeView& node : view.nodes) nodes.push_back(NodeJson(node));
  for (const EdgeView& edge : view.edges) {
    edges.push_back({{"name", edge.name},
                     {"depth", edge.label},
                     {"fill", edge.fill ? Number(edge.fill->value) : Json(nullptr)}});
  }
  return {{"nodes", nodes}, {"edges", edges}};
}

Json CurveJson(const Curve& curve, TimeRange range) {
  Json columns = Json::array();
  for (const auto& column : Decimate(curve, range, kColumns))
    columns.push_back(column ? Json::array({Number(column->least), Number(column->greatest)})
                             : Json(nullptr));
  return columns;
}

Json TimelineJson(const Scene& scene, const Track& track) {
  Json marks = Json::array();
  const TimelineView view = LayOutTimeline(scene, track, {.shown = track.all}, kRoom, 1);
  for (const MarkView& mark : view.marks)
    marks.push_back({{"decision", mark.decision}, {"tip", MarkTip(scene, view, mark)}});
  Json busy = Json::array(), fill = Json::array();
  for (const Curve& curve : track.busy) busy.push_back(CurveJson(curve, track.all));
  for (const Curve& curve : track.fill) fill.push_back(CurveJson(curve, track.all));
  return {{"from_seconds", Number(Seconds(track.all.from))},
          {"to_seconds", Number(Seconds(track.all.to))},
          {"rows", CurveJson(track.rows, track.all)},
          {"waiting", CurveJson(track.starved, track.all)},
          {"cores", CurveJson(track.cores, track.all)},
          {"buffered", CurveJson(track.buffered, track.all)},
          {"busy", busy},
          {"fill", fill},
          {"decisions", marks}};
}

Json TableJson(const Table& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const TableColumn& column : table.columns) columns.push_back(column.name);
  for (const TableRow& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row.cells) cells.push_back(cell.text());
    rows.push_back(cells);
  }
  return {{"columns", columns}, {"rows", rows}};
}

const char* WatchedName(Watched watched) {
  switch (watched) {
    case Watched::kLive:
      return "live";
    case Watched::kEnded:
      return "ended";
    case Watched::kRecorded:
      return "recorded";
  }
  return "";
}

Json NumberOrNull(const std::optional<double>& value) {
  return value ? Number(*value) : Json(nullptr);
}

const char* JudgedName(Judged judged) {
  constexpr const char* kNames[] = {"not_known", "same", "neutral", "better", "worse"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Judged::kCount));
  return kNames[static_cast<std::size_t>(judged)];
}

Json RowJson(const CompareRow& row) {
  return {{"of", row.about},
          {"figure", row.what},
          {"a", row.a},
          {"b", row.b},
          {"change", row.change},
          {"b_is", JudgedName(row.judged)},
          {"a_value", NumberOrNull(row.value_a)},
          {"b_value", NumberOrNull(row.value_b)}};
}

Json RunJson(const ComparedRun& run, Nanos shown) {
  const MonoTime start = run.scene.start;
  return {{"from_seconds", Number(Seconds(run.scene.from - start))},
          {"to_seconds", Number(Seconds(run.scene.now.at - start))},
          {"strip", StripJson(MakeStrip(run.scene))},
          {"rate", CurveJson(run.rates, {Nanos(0), shown})}};
}

Json PairJson(const ComparedPair& pair, const Headline& headline) {
  Json rows = Json::array();
  for (const CompareRow& row : CompareRows(pair)) rows.push_back(RowJson(row));
  const Nanos shown = std::max(pair.a.length, pair.b.length);
  return {{"name", pair.name},
          {"word", headline.word},
          {"sentence", headline.sentence},
          {"b_is", JudgedName(headline.judged)},
          {"ratio", NumberOrNull(pair.ratio)},
          {"low", NumberOrNull(pair.low)},
          {"high", NumberOrNull(pair.high)},
          {"counted", pair.in_batches ? "batches" : "rows"},
          {"curves_to_seconds", Number(Seconds(shown))},
          {"a", RunJson(pair.a, shown)},
          {"b", RunJson(pair.b, shown)},
          {"rows", rows}};
}

}  // namespace

std::string ViewJson(const Scene& scene, const Track& track) {
  Json tables = Json::object();
  for (int tab = 0; tab < static_cast<int>(Tab::kCount); ++tab)
    tables[TabName(static_cast<Tab>(tab))] = TableJson(MakeTable(static_cast<Tab>(tab), scene));
  const Json document = {{"format", "sluice-view"},
                         {"version", kViewFormatVersion},
                         {"name", scene.name},
                         {"origin", scene.origin},
                         {"watched", WatchedName(scene.watched)},
                         {"at_seconds", Number(Seconds(SinceStart(scene)))},
                         {"strip", StripJson(MakeStrip(scene))},
                         {"steering", SteeringJson(scene)},
                         {"pipeline", PipelineJson(scene, track)},
                         {"timeline", TimelineJson(scene, track)},
                         {"tables", tables}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ComparisonJson(const Comparison& comparison) {
  const std::vector<Headline> headlines = Headlines(comparison);
  Json pipelines = Json::array();
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i)
    pipelines.push_back(PairJson(comparison.pairs[i], headlines[i]));
  const Json document = {{"format", "sluice-comparison"},
                         {"version", kComparisonFormatVersion},
                         {"a", comparison.a},
                         {"b", comparison.b},
                         {"pipelines", pipelines},
                         {"only_in_a", comparison.only_a},
                         {"only_in_b", comparison.only_b}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string PlanJson(const Plan& plan, const std::string& command) {
  Json fields = Json::array();
  for (const PlanField& field : plan.fields) {
    fields.push_back({{"name", field.name}, {"value", field.value}, {"hint", field.hint}});
    if (!field.choices.empty()) fields.back()["choices"] = field.choices;
    if (field.range) fields.back()["range"] = {field.range->min, field.range->max};
  }
  const Json document = {
      {"format", "sluice-plan"}, {"version", kPlanFormatVersion}, {"scenario", plan.of}, {"name", plan.name},
      {"summary", plan.summary}, {"simulated", plan.simulated},   {"command", command},  {"fields", fields}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::ui
