#include "sluice/ui/pipeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

// In pixels at scale 1.
constexpr float kNodeWidth = 156, kNodeHeight = 92, kNarrowest = 120;
constexpr float kGapX = 64, kGapY = 18, kMargin = 12, kPadding = 8;
constexpr float kBarHeight = 10, kGaugeWidth = 44, kGaugeHeight = 14;
constexpr float kLegendHeight = 24, kLegendWidth = 130;
constexpr std::size_t kHistoryColumns = 44;

bool Flows(const Graph& graph, const ConnectorInfo& connector) {
  return Index(connector.from) < graph.ops.size() &&
         (!connector.to ||
          (Index(*connector.to) < graph.ops.size() && Index(*connector.to) > Index(connector.from)));
}

// Ops are in topological order, so one pass finds the longest way to each.
void FindColumns(const Graph& graph, GraphPlan& plan) {
  for (const ConnectorInfo& connector : graph.connectors) {
    if (!Flows(graph, connector) || !connector.to) continue;
    int& column = plan.ops[Index(*connector.to)].column;
    column = std::max(column, plan.ops[Index(connector.from)].column + 1);
  }
}

// A step inside another op's workers stands below the op before it.
void SeatParts(const Graph& graph, GraphPlan& plan) {
  for (std::size_t op = 1; op < graph.ops.size(); ++op) {
    if (graph.IsPart(op)) plan.ops[op].column = plan.ops[op - 1].column;
  }
}

Nanos Total(const OpReading& op) {
  return op.busy + op.starved + op.backed_up;
}

void AddPart(std::vector<TimePart>& parts, Paint paint, const char* word,
             const std::optional<Fraction>& share) {
  if (share && share->value > 0) parts.push_back({paint, word, *share, {}});
}

std::vector<TimePart> TimeOf(const OpFigures& op) {
  std::vector<TimePart> parts;
  if (op.on_cpu && op.runnable && op.off_cpu) {
    AddPart(parts, Paint::kOnCpu, "on CPU", op.on_cpu);
    AddPart(parts, Paint::kRunnable, "queues for a core", op.runnable);
    AddPart(parts, Paint::kOffCpu, "off CPU", op.off_cpu);
  } else {
    AddPart(parts, Paint::kBusy, "busy", op.busy);
  }
  AddPart(parts, Paint::kStarved, "starved", op.starved);
  AddPart(parts, Paint::kBackedUp, "backed up", op.backed_up);
  return parts;
}

// Side by side along a bar; shares that are a little too much together are cut at its end.
void PlaceParts(std::vector<TimePart>& parts, Box bar) {
  float x = bar.x;
  for (TimePart& part : parts) {
    const float width = std::min(bar.width * static_cast<float>(part.share.value), bar.right() - x);
    part.box = {x, bar.y, std::max(width, 0.0F), bar.height};
    x = part.box.right();
  }
}

std::string WorkersText(const OpReading& op, const OpFigures& figures) {
  const std::string now = fmt::format("{} worker{}", op.workers, op.workers == 1 ? "" : "s");
  return figures.workers_wanted ? fmt::format("{} \u2192 {}", now, *figures.workers_wanted) : now;
}

std::vector<std::string> TipOf(const OpInfo& info, const OpReading& op, const OpFigures& figures,
                               const std::vector<TimePart>& parts) {
  std::vector<std::string> lines{
      fmt::format("{} ({}{})", info.name, info.kind, info.serial ? ", one worker at most" : "")};
  if (op.items_known)
    lines.push_back(fmt::format("{} items in all, {} now", op.items, internal::RateText(figures.items)));
  if (op.counted && op.failed > 0) lines.push_back(fmt::format("{} rows failed", op.failed));
  for (const TimePart& part : parts)
    lines.push_back(fmt::format("{} {}", FormatPercent(part.share), part.word));
  if (figures.p50)
    lines.push_back(fmt::format("per item p50 {}, p90 {}, p99 {}, p99.9 {}", internal::TimeText(figures.p50),
                                internal::TimeText(figures.p90), internal::TimeText(figures.p99),
                                internal::TimeText(figures.p999)));
  if (op.timed) lines.push_back(fmt::format("workers' time so far {}", FormatDuration(Total(op))));
  return lines;
}

// Of what is not measured (yet): one with nothing in it.
template <typename T>
const T& At(const std::vector<T>& of, std::size_t index) {
  static const T nothing{};
  return index < of.size() ? of[index] : nothing;
}

NodeView NodeOf(const Scene& scene, std::size_t op) {
  const OpInfo& info = scene.now.graph->ops[op];
  const OpFigures& figures = At(scene.ops, op);
  NodeView node{.op = op, .name = info.name, .workers = WorkersText(At(scene.now.ops, op), figures)};
  node.rate = internal::RateText(figures.items);
  node.mark = figures.limits ? "\u26A0 limits the run" : "";
  node.time = TimeOf(figures);
  return node;
}

NodeView ConsumerNode(const Scene& scene) {
  NodeView node{.name = "consumer", .workers = "takes", .rate = internal::RateText(scene.consumer.items)};
  const auto& starved = scene.consumer.starved;
  if (starved) {
    AddPart(node.time, Paint::kOnCpu, "its own steps", Fraction{1 - starved->value});
    AddPart(node.time, Paint::kStarved, "starved", starved);
  }
  if (scene.verdict.limit == Limit::kConsumer) node.mark = "\u2713 sets the pace";
  return node;
}

// The size of everything for one screen.
struct Grid {
  Box room;
  float scale = 1, node_width = 0, node_height = 0;
  float step_x = 0, step_y = 0, top = 0;

  [[nodiscard]] Box BoxOf(Seat seat) const {
    return {room.x + kMargin * scale + static_cast<float>(seat.column) * step_x,
            top + static_cast<float>(seat.row) * step_y, node_width, node_height};
  }
};

Grid GridFor(const GraphPlan& plan, Box room, float scale) {
  Grid grid{.room = room, .scale = scale};
  const auto columns = static_cast<float>(plan.columns), rows = static_cast<float>(plan.rows);
  const float free = room.width - 2 * kMargin * scale - (columns - 1) * kGapX * scale;
  grid.node_width = std::clamp(free / columns, kNarrowest * scale, kNodeWidth * scale);
  grid.node_height = kNodeHeight * scale;
  // What is left goes between the columns, up to as much again.
  const float left = std::max(0.0F, free - grid.node_width * columns) / std::max(1.0F, columns - 1);
  grid.step_x = grid.node_width + kGapX * scale + std::min(left, kGapX * scale);
  grid.step_y = grid.node_height + kGapY * scale;
  const float high = rows * grid.step_y - kGapY * scale;
  grid.top = room.y + std::max(kMargin * scale, (room.height - kLegendHeight * scale - high) / 2);
  return grid;
}

void PlaceNode(NodeView& node, Seat seat, const Grid& grid) {
  node.seat = seat;
  node.box = grid.BoxOf(seat);
  const float padding = kPadding * grid.scale, height = kBarHeight * grid.scale;
  PlaceParts(node.time, {node.box.x + padding, node.box.bottom() - padding - height,
                         node.box.width - 2 * padding, height});
}

std::vector<Stroke> HistoryOf(const Curve& curve, TimeRange shown, Box box) {
  std::vector<Stroke> strokes;
  strokes.reserve(kHistoryColumns);
  const auto columns = Decimate(curve, shown, kHistoryColumns);
  const float step = box.width / static_cast<float>(kHistoryColumns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    if (!column) continue;
    const auto share = static_cast<float>(std::clamp(column->greatest, 0.0, 1.0));
    strokes.push_back(
        {box.x + (static_cast<float>(i) + 0.5F) * step, box.bottom() - share * box.height, box.bottom()});
  }
  return strokes;
}

std::optional<Fraction> FillOf(const ConnectorReading& now, const ConnectorFigures& figures) {
  if (now.capacity == 0 || !figures.mean_depth) return std::nullopt;
  return Fraction{std::clamp(*figures.mean_depth / static_cast<double>(now.capacity), 0.0, 1.0)};
}

EdgeView EdgeOf(const Scene& scene, std::size_t c) {
  const ConnectorInfo& info = scene.now.graph->connectors[c];
  const ConnectorReading& now = At(scene.now.connectors, c);
  const ConnectorFigures& figures = At(scene.connectors, c);
  EdgeView edge{.connector = c, .name = info.name};
  edge.fill = FillOf(now, figures);
  edge.label = fmt::format("{}/{}", now.depth, now.capacity);
  return edge;
}

void PlaceEdge(EdgeView& edge, Box from, Box to, float scale) {
  edge.from = {from.right(), from.y + from.height / 2};
  edge.to = {to.x, to.y + to.height / 2};
  const float bend = (edge.to.x - edge.from.x) / 2;
  edge.bend_from = {edge.from.x + bend, edge.from.y};
  edge.bend_to = {edge.to.x - bend, edge.to.y};
  const Point middle{(edge.from.x + edge.to.x) / 2, (edge.from.y + edge.to.y) / 2};
  const float width = kGaugeWidth * scale, height = kGaugeHeight * scale;
  edge.gauge = {middle.x - width / 2, middle.y - height / 2, width, height};
  edge.filled = edge.gauge;
  edge.filled.width = width * static_cast<float>(edge.fill ? edge.fill->value : 0);
}

// Below the graph, in the order of the bars. REQUIRES: the view's area is known.
void AddLegend(PipelineView& view, float scale) {
  const float high = kLegendHeight * scale, sample = 10 * scale;
  float x = view.area.x + kMargin * scale;
  for (const NodeView& node : view.nodes) {
    if (!node.op) continue;
    for (const TimePart& part : node.time) {
      if (std::ranges::find(view.legend, part.paint, &LegendView::paint) == view.legend.end())
        view.legend.push_back({.paint = part.paint, .word = part.word});
    }
  }
  std::ranges::sort(view.legend, {}, &LegendView::paint);
  for (LegendView& each : view.legend) {
    each.sample = {x, view.area.bottom() - high + (high - sample) / 2, sample, sample};
    each.text = {x + 1.6F * sample, view.area.bottom() - high, kLegendWidth * scale, high};
    x = each.text.right();
  }
}

}  // namespace

GraphPlan PlanGraph(const Graph& graph) {
  GraphPlan plan;
  plan.ops.resize(graph.ops.size());
  FindColumns(graph, plan);
  SeatParts(graph, plan);
  std::map<int, int> used;  // rows of each column
  for (Seat& seat : plan.ops) {
    seat.row = used[seat.column]++;
    plan.columns = std::max(plan.columns, seat.column + 1);
    plan.rows = std::max(plan.rows, seat.row + 1);
  }
  plan.consumer = {plan.columns, 0};
  plan.columns += 1;
  plan.rows = std::max(plan.rows, 1);
  return plan;
}

PipelineView LayOutPipeline(const Scene& scene, const Track& track, TimeRange shown, Box room, float scale) {
  PipelineView view{.area = room};
  if (!scene.now.graph) return view;
  const Graph& graph = *scene.now.graph;
  const GraphPlan plan = PlanGraph(graph);
  const Grid grid = GridFor(plan, room, scale);
  view.nodes.reserve(graph.ops.size() + 1);
  view.edges.reserve(graph.connectors.size());
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    view.nodes.push_back(NodeOf(scene, op));
    PlaceNode(view.nodes.back(), plan.ops[op], grid);
  }
  view.nodes.push_back(ConsumerNode(scene));
  PlaceNode(view.nodes.back(), plan.consumer, grid);
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    const ConnectorInfo& info = graph.connectors[c];
    if (!Flows(graph, info)) continue;
    view.edges.push_back(EdgeOf(scene, c));
    EdgeView& edge = view.edges.back();
    PlaceEdge(edge, view.nodes[Index(info.from)].box,
              view.nodes[info.to ? Index(*info.to) : graph.ops.size()].box, scale);
    const Box above{edge.gauge.x, edge.gauge.y - 1.4F * edge.gauge.height, edge.gauge.width,
                    edge.gauge.height};
    if (c < track.fill.size()) edge.history = HistoryOf(track.fill[c], shown, above);
  }
  for (const NodeView& node : view.nodes) {
    view.area.width = std::max(view.area.width, node.box.right() + kMargin * scale - room.x);
    view.area.height =
        std::max(view.area.height, node.box.bottom() + (kLegendHeight + kPadding) * scale - room.y);
  }
  AddLegend(view, scale);
  return view;
}

std::vector<std::string> NodeTip(const Scene& scene, const NodeView& node) {
  if (node.op)
    return TipOf(scene.now.graph->ops[*node.op], At(scene.now.ops, *node.op), At(scene.ops, *node.op),
                 node.time);
  const ConsumerFigures& consumer = scene.consumer;
  return {"consumer: who takes the batches", fmt::format("{} rows", internal::RateText(consumer.rows)),
          fmt::format("waits {} of its time", internal::ShareText(consumer.starved)),
          fmt::format("per wait p50 {}, p99 {}", internal::TimeText(consumer.wait_p50),
                      internal::TimeText(consumer.wait_p99))};
}

std::vector<std::string> EdgeTip(const Scene& scene, const EdgeView& edge) {
  const ConnectorReading& now = At(scene.now.connectors, edge.connector);
  const ConnectorFigures& figures = At(scene.connectors, edge.connector);
  std::vector<std::string> tip{
      edge.name,
      fmt::format("{} of {} items wait now, {} at most so far", now.depth, now.capacity, now.high_water),
      fmt::format("empty {} of the time: then the ops before it are too slow",
                  internal::ShareText(figures.empty)),
      fmt::format("full {} of the time: then the ops behind it are too slow",
                  internal::ShareText(figures.full))};
  if (figures.mean_depth) tip.push_back(fmt::format("{:.3g} items on average", *figures.mean_depth));
  if (now.counted) tip.push_back(fmt::format("{} held now", FormatBytes(now.bytes)));
  return tip;
}

}  // namespace sluice::ui
