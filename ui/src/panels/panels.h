// The panels: each draws one view, and returns what the user did to it. They compute nothing about what they
// show.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "panels/painter.h"
#include "sluice/ui/commands.h"
#include "sluice/ui/compare_view.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/keys.h"
#include "sluice/ui/knob_view.h"
#include "sluice/ui/pipeline_view.h"
#include "sluice/ui/plan.h"
#include "sluice/ui/screen.h"
#include "sluice/ui/start_view.h"
#include "sluice/ui/strip.h"
#include "sluice/ui/tables.h"
#include "sluice/ui/timeline_view.h"

namespace sluice::ui {

// `hint`: which keys to begin with.
void DrawHeader(const Painter& painter, const Scene& scene, const std::string& moment,
                const std::string& hint, Box box);
void DrawStrip(const Painter& painter, const Strip& strip, Box box);

// What was asked for by a button. `stops`: the run can be ended from here.
std::optional<Action> DrawSteering(const Painter& painter, const SteeringView& steering, bool stops, Box box);

// An op that was clicked. The view is that of the scene.
std::optional<std::size_t> DrawPipeline(const Painter& painter, const Scene& scene, const PipelineView& view,
                                        std::optional<std::size_t> chosen);

struct TimelineTouch {
  std::optional<float> pressed{};     // a click or a dragging begins there, in pixels
  std::optional<Nanos> at{};          // clicked there
  std::optional<TimeRange> range{};   // dragged over it
  float wheel = 0;                    // turned there: closer where it is positive
  Nanos under{0};                     // the moment under the pointer
  std::optional<float> moved{};       // dragged by the right button, in pixels
  std::optional<std::size_t> mark{};  // that is pointed at
};
// `pressed`: where the button that is held went down.
TimelineTouch DrawTimeline(const Painter& painter, const TimelineView& view, std::optional<float> pressed);

struct TableTouch {
  std::optional<std::size_t> sort{};
  bool descending = false;
  std::optional<std::size_t> item{};  // a row that was clicked
};
std::optional<Tab> DrawTabs(const Painter& painter, Tab chosen, Box box);
// `filter` is what the user types, `hint` is said while that is nothing. `focus`: the keys go there from now
// on.
void DrawFilter(const Painter& painter, Box box, std::string& filter, const std::string& hint, bool focus);
TableTouch DrawTable(const Painter& painter, const Table& table, Tab tab, std::optional<std::size_t> chosen,
                     Box box);

// Where the bars of its histogram go.
[[nodiscard]] Box HistogramIn(Box detail, float scale);
void DrawDetail(const Painter& painter, const OpDetail& detail, Box box);

struct KnobTouch {
  std::optional<std::int64_t> wanted{};
  bool apply = false;
  bool pin = false;                  // or unpin
  bool least = false, most = false;  // what is wanted bounds the tuner, or no longer
};
KnobTouch DrawKnob(const Painter& painter, const KnobView& knob, Box box);

// A pipeline that was clicked, by its pair.
std::optional<std::size_t> DrawCompare(const Painter& painter, const CompareView& view,
                                       const std::string& hint);

// An entry that was clicked. `moved`: the chosen one is brought into sight.
std::optional<StartEntry> DrawStart(const Painter& painter, const std::vector<StartList>& lists,
                                    std::optional<StartPlace> chosen, bool moved, const std::string& note);

struct PlanWords {
  std::string command{};  // that would do the same
  std::string wrong{};    // with a field, or with the last try; empty: nothing
  bool startable = true;
  std::string note{};  // where nothing is wrong
  bool starting = false;
};
struct PlanTouch {
  std::optional<std::size_t> row{};  // a field that was clicked
  int step = 0;                      // its value is to be another one
  bool start = false, copy = false, back = false;
};
// `moved`: the chosen field is brought into sight.
PlanTouch DrawPlan(const Painter& painter, const Plan& plan, const PlanWords& words, bool moved,
                   float height);
void DrawHelp(const Painter& painter, const KeyMap& keys, float width, float height);

struct CommandTouch {
  std::optional<std::size_t> row{};  // that was clicked
  bool away = false;                 // something else was
};
// `moved`: the chosen row is brought into sight.
CommandTouch DrawCommands(const Painter& painter, const std::vector<Command>& rows, const CommandWish& wish,
                          bool moved, float width, float height);
// Over all else, at the bottom, with the key that closes it. Returns whether it was clicked.
bool DrawNotice(const Painter& painter, const std::string& notice, const std::string& key, float width,
                float height);

}  // namespace sluice::ui
