// The pipeline as a picture: ops in the order of the data's way, connectors between them, the consumer at the
// end. Columns follow the longest way from a source, so a branch stands beside what it is parallel to.
// Immutable functions from values to places in pixels; whoever draws computes nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/ui/place.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

// Where an op stands, counted from 0.
struct Seat {
  int column = 0, row = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};
struct GraphPlan {
  std::vector<Seat> ops{};  // as in the graph
  Seat consumer{};
  int columns = 0, rows = 0;
};
[[nodiscard]] GraphPlan PlanGraph(const Graph& graph);

// A part of an op's time. The words say the same as the colours.
struct TimePart {
  Paint paint{};
  const char* word = "";
  Fraction share{};
  Box box{};
};

struct NodeView {
  std::optional<std::size_t> op{};  // nullopt: the consumer
  Seat seat{};
  Box box{};
  std::string name{}, workers{}, rate{};
  std::string mark{};  // "⚠ limits the run"; empty: it does not
  std::vector<TimePart> time{};
};

struct EdgeView {
  std::size_t connector = 0;
  Point from{}, bend_from{}, bend_to{}, to{};
  std::string name{}, label{};     // "3 of 8"
  std::optional<Fraction> fill{};  // mean depth over capacity
  Box gauge{}, filled{};
  std::vector<Stroke> history{};  // of the fill, over the time that is shown
};

// What a colour of the bars stands for.
struct LegendView {
  Paint paint{};
  const char* word = "";
  Box sample{}, text{};
};

struct PipelineView {
  Box area{};  // as large as all of it needs: it may be wider than what there is
  std::vector<NodeView> nodes{};
  std::vector<EdgeView> edges{};
  std::vector<LegendView> legend{};  // of what is drawn
};

// `room`: what there is of the screen; `scale`: of the text. The history is that of `shown`.
[[nodiscard]] PipelineView LayOutPipeline(const Scene& scene, const Track& track, TimeRange shown, Box room,
                                          float scale);

// Exact figures, line by line: of what is under the pointer, so they are not made for all.
[[nodiscard]] std::vector<std::string> NodeTip(const Scene& scene, const NodeView& node);
[[nodiscard]] std::vector<std::string> EdgeTip(const Scene& scene, const EdgeView& edge);

}  // namespace sluice::ui
