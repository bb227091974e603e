#include "sluice/ui/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

// In pixels at scale 1.
constexpr float kNamesWidth = 150, kMargin = 12, kAxisHeight = 22, kGap = 6, kFlag = 16, kTickApart = 90;

using Format = std::function<std::string(double)>;

struct Lane {
  std::string name;
  const Curve* curve;
  Paint paint;
  std::optional<double> top;  // nullopt: the greatest value that is seen
  Format text;
};

std::string AsShare(double value) {
  return FormatPercent(Fraction{value});
}

// The next of 1, 2, 5, 10, ... above.
double RoundTop(double greatest) {
  if (greatest <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(greatest)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (greatest <= step * power) return step * power;
  }
  return 10 * power;
}

std::vector<Lane> LanesOf(const Scene& scene, const Track& track, const TimelineWish& wish) {
  std::vector<Lane> lanes{
      {"rows", &track.rows, Paint::kRate, {}, [](double v) { return FormatCount(v) + "/s"; }},
      {"waiting", &track.starved, Paint::kWait, 1, AsShare},
      {"cores", &track.cores, Paint::kCores, {}, [](double v) { return fmt::format("{:.3g}", v); }},
      {"buffered", &track.buffered, Paint::kMemory, {}, [](double v) {
         return FormatBytes(Bytes{static_cast<std::int64_t>(v)});
       }}};
  if (!wish.op || *wish.op >= track.busy.size()) return lanes;
  const std::string name = internal::OpName(scene, *wish.op);
  lanes.push_back({name + " busy", &track.busy[*wish.op], Paint::kBusy, 1, AsShare});
  if (!scene.now.graph) return lanes;
  const auto& connectors = scene.now.graph->connectors;
  for (std::size_t c = 0; c < std::min(connectors.size(), track.fill.size()); ++c) {
    if (Index(connectors[c].from) == *wish.op)
      lanes.push_back({connectors[c].name + " fill", &track.fill[c], Paint::kFill, 1, AsShare});
  }
  return lanes;
}

LaneView DrawLane(const Lane& lane, TimeRange shown, Box box, std::optional<float> cursor) {
  LaneView view{.name = lane.name, .paint = lane.paint, .box = box};
  const auto columns = Decimate(*lane.curve, shown, static_cast<std::size_t>(std::max(box.width, 1.0F)));
  double greatest = 0;
  for (const auto& column : columns) greatest = std::max(greatest, column ? column->greatest : 0);
  const double top = lane.top.value_or(RoundTop(greatest));
  view.top = lane.text(top);
  const double per_value = 1 / top;
  const auto y_of = [&](double value) {
    return box.bottom() - static_cast<float>(std::clamp(value * per_value, 0.0, 1.0)) * box.height;
  };
  const Column* value = nullptr;
  float before = -1;
  view.strokes.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    if (!column) {
      before = -1;
      continue;
    }
    const float above = y_of(column->greatest);
    Stroke stroke{box.x + static_cast<float>(i), above, y_of(column->least)};
    // Joined to the one before it, so that a step is a line.
    if (before >= 0) {
      stroke.top = std::min(stroke.top, before);
      stroke.bottom = std::max(stroke.bottom, before);
    }
    before = above;
    stroke.bottom = std::max(stroke.bottom, stroke.top + 1);
    view.strokes.push_back(stroke);
    if (!cursor || stroke.x <= *cursor) value = &*column;
  }
  view.value = value != nullptr ? lane.text((value->greatest + value->least) / 2) : internal::kUnknown;
  return view;
}

void AddLanes(TimelineView& view, const std::vector<Lane>& lanes, Box room, float scale) {
  const auto count = static_cast<float>(lanes.size());
  const float gap = kGap * scale;
  const float high = std::max(1.0F, (view.plot.height - gap * (count - 1)) / count);
  float y = room.y + kFlag * scale;
  for (const Lane& lane : lanes) {
    view.lanes.push_back(DrawLane(lane, view.shown, {view.plot.x, y, view.plot.width, high}, view.cursor));
    y += high + gap;
  }
}

Paint PaintOf(Fate fate) {
  switch (fate) {
    case Fate::kKept:
      return Paint::kGood;
    case Fate::kRolledBack:
    case Fate::kRejected:
      return Paint::kBad;
    default:
      return Paint::kAccent;
  }
}

const char* GlyphOf(Fate fate) {
  switch (fate) {
    case Fate::kKept:
      return "\u2713";
    case Fate::kRolledBack:
    case Fate::kRejected:
      return "\u00D7";
    case Fate::kAdvised:
      return "\u25CB";
    default:
      return "\u25BC";
  }
}

void AddMarks(TimelineView& view, const Scene& scene, const std::vector<Nanos>& own, Box room, float scale) {
  const float size = kFlag * scale;
  for (const Nanos at : own) {
    if (at < view.shown.from || at > view.shown.to) continue;
    const float x = view.PlaceOf(at);
    view.marks.push_back(
        {.x = x, .flag = {x - size / 2, room.y, size, size}, .paint = Paint::kText, .glyph = "\u25C6"});
  }
  for (const DecisionSeen& seen : scene.decisions) {
    const Nanos at = seen.decision.at - scene.start;
    if (at < view.shown.from || at > view.shown.to) continue;
    const float x = view.PlaceOf(at);
    view.marks.push_back({.decision = seen.decision.id,
                          .x = x,
                          .flag = {x - size / 2, room.y, size, size},
                          .paint = PaintOf(seen.fate),
                          .glyph = GlyphOf(seen.fate)});
  }
}

// The shortest round step that leaves room for the text.
Nanos TickStep(Nanos shown, float width, float apart) {
  using namespace std::chrono_literals;
  constexpr std::array<Nanos, 22> kSteps{1ms, 2ms, 5ms, 10ms, 20ms, 50ms, 100ms, 200ms, 500ms, 1s, 2s,
                                         5s,  10s, 20s, 30s,  1min, 2min, 5min,  10min, 30min, 1h, 6h};
  const double least = Seconds(shown) * apart / std::max(width, 1.0F);
  const auto fits = [&](Nanos step) { return Seconds(step) >= least; };
  const auto step = std::ranges::find_if(kSteps, fits);
  return step == kSteps.end() ? FromSeconds(std::ceil(least / 86400) * 86400) : *step;
}

void AddTicks(TimelineView& view, float scale) {
  const Nanos step = TickStep(view.shown.length(), view.plot.width, kTickApart * scale);
  const std::int64_t first = (view.shown.from.count() + step.count() - 1) / step.count();
  for (Nanos at = step * first; at <= view.shown.to; at += step)
    view.ticks.push_back({view.PlaceOf(at), at == Nanos(0) ? "0s" : FormatDuration(at)});
}

Box PlotIn(Box room, float scale) {
  const float names = kNamesWidth * scale, flags = kFlag * scale, axis = kAxisHeight * scale;
  return {room.x + names, room.y + flags, std::max(1.0F, room.width - names - kMargin * scale),
          std::max(1.0F, room.height - flags - axis)};
}

double GreatestOf(const std::vector<RateLane>& rates) {
  double greatest = 0;
  for (const RateLane& rate : rates) {
    for (const CurvePiece& piece : rate.curve->pieces()) greatest = std::max(greatest, piece.greatest);
  }
  return greatest;
}

// What of the range is in sight, over the height of the lane.
Box PartOf(const TimelineView& view, const LaneView& lane, TimeRange part) {
  const float from = view.PlaceOf(std::max(part.from, view.shown.from));
  const float to = view.PlaceOf(std::min(part.to, view.shown.to));
  return {from, lane.box.y, std::max(to - from, 0.0F), lane.box.height};
}

}  // namespace

float TimelineView::PlaceOf(Nanos at) const {
  const double share = Share(at - shown.from, shown.length()).value;
  return plot.x + static_cast<float>(share) * plot.width;
}

Nanos TimelineView::TimeAt(float x) const {
  const double share = plot.width > 0 ? (x - plot.x) / plot.width : 0;
  return shown.from + FromSeconds(std::clamp(share, 0.0, 1.0) * Seconds(shown.length()));
}

TimelineView LayOutTimeline(const Scene& scene, const Track& track, const TimelineWish& wish, Box room,
                            float scale) {
  TimelineView view{.plot = PlotIn(room, scale), .shown = wish.shown};
  if (wish.shown.length() <= Nanos(0)) return view;
  if (wish.cursor && *wish.cursor >= view.shown.from && *wish.cursor <= view.shown.to)
    view.cursor = view.PlaceOf(*wish.cursor);
  AddLanes(view, LanesOf(scene, track, wish), room, scale);
  AddMarks(view, scene, wish.marks, room, scale);
  AddTicks(view, scale);
  if (wish.chosen) {
    const float from = view.PlaceOf(std::max(wish.chosen->from, view.shown.from));
    const float to = view.PlaceOf(std::min(wish.chosen->to, view.shown.to));
    if (to > from) view.chosen = Box{from, view.plot.y, to - from, view.plot.height};
  }
  return view;
}

std::vector<std::string> MarkTip(const Scene& scene, const TimelineView& view, const MarkView& mark) {
  if (mark.decision == 0) return {"marked at " + FormatDuration(view.TimeAt(mark.x))};
  const auto seen = std::ranges::find(scene.decisions, mark.decision,
                                      [](const DecisionSeen& each) { return each.decision.id; });
  if (seen == scene.decisions.end()) return {};
  const Decision& decision = seen->decision;
  return {fmt::format("decision {} at {}: {}", decision.id, FormatDuration(decision.at - scene.start),
                      internal::FateText(seen->fate)),
          internal::ChangesText(decision, scene.now.knobs), decision.because,
          fmt::format("predicted {}, measured {}", internal::GainText(decision.before, decision.predicted),
                      internal::GainText(decision.before, seen->measured))};
}

TimelineView LayOutRates(const std::vector<RateLane>& rates, TimeRange shown, std::optional<Nanos> until,
                         Box room, float scale) {
  TimelineView view{.plot = PlotIn(room, scale), .shown = shown};
  if (shown.length() <= Nanos(0)) return view;
  if (until) view.cursor = view.PlaceOf(std::clamp(*until, shown.from, shown.to));
  const double top = RoundTop(GreatestOf(rates));
  std::vector<Lane> lanes;
  lanes.reserve(rates.size());
  for (const RateLane& rate : rates)
    lanes.push_back(
        {rate.name, rate.curve, Paint::kRate, top, [](double v) { return FormatCount(v) + "/s"; }});
  AddLanes(view, lanes, room, scale);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    LaneView& lane = view.lanes[i];
    lane.part = PartOf(view, lane, rates[i].part);
    if (view.cursor) {
      std::erase_if(lane.strokes, [&](const Stroke& stroke) { return stroke.x > *view.cursor; });
    } else {
      lane.value = rates[i].value;
    }
  }
  AddTicks(view, scale);
  return view;
}

}  // namespace sluice::ui
