// The timeline as a picture: lanes of curves over one axis of time, with the decisions as marks. Immutable
// functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/ui/place.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

struct LaneView {
  std::string name{};
  std::string top{};    // what the upper edge of the lane stands for: "12.3 k/s"
  std::string value{};  // at the moment that is looked at, else at the end of what is shown
  Paint paint{};
  Box box{};
  std::vector<Stroke> strokes{};  // one per column of pixels at most
  std::optional<Box> part{};      // of the lane: the figures are about it
};

struct MarkView {
  std::uint64_t decision = 0;  // 0: a mark of the user's
  float x = 0;
  Box flag{};     // what a pointer has to hit
  Paint paint{};  // by its fate
  std::string glyph{};
};

struct TickView {
  float x = 0;
  std::string text{};
};

struct TimelineView {
  Box plot{};  // where time is: the lanes without their names
  TimeRange shown{};
  std::vector<LaneView> lanes{};
  std::vector<MarkView> marks{};
  std::vector<TickView> ticks{};
  std::optional<Box> chosen{};    // the range that all tables are about
  std::optional<float> cursor{};  // the moment that is looked at

  // The moment at a place of the plot; the nearest where `x` lies outside.
  [[nodiscard]] Nanos TimeAt(float x) const;
  [[nodiscard]] float PlaceOf(Nanos at) const;
};

struct TimelineWish {
  TimeRange shown{};
  std::optional<TimeRange> chosen{};
  std::optional<Nanos> cursor{};
  std::optional<std::size_t> op{};  // a lane of its own says how busy it is
  std::vector<Nanos> marks{};       // of the user
};

[[nodiscard]] TimelineView LayOutTimeline(const Scene& scene, const Track& track, const TimelineWish& wish,
                                          Box room, float scale);

// Lines for whoever points at a mark of the view.
[[nodiscard]] std::vector<std::string> MarkTip(const Scene& scene, const TimelineView& view,
                                               const MarkView& mark);

// One of several rates, to be compared.
struct RateLane {
  std::string name{};
  std::string value{};
  const Curve* curve = nullptr;
  TimeRange part{};  // the value is about it
};
// They stand one below the other, over one axis of time and with one scale. `until`: nothing behind it is
// seen, and the values are as of then.
[[nodiscard]] TimelineView LayOutRates(const std::vector<RateLane>& rates, TimeRange shown,
                                       std::optional<Nanos> until, Box room, float scale);

}  // namespace sluice::ui
