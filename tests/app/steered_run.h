// A run that follows a script, and the steering of it: for tests of who asks it for changes.
#pragma once
#include <string>
#include <vector>

#include "app/scripted.h"
#include "control/steering.h"

namespace sluice::app {

struct SteeredRun {
  SteeredRun() {
    steering.Add({.name = "train",
                  .rank = {},
                  .pid = 7,
                  .run_start = kRunStart,
                  .agent = &agent,
                  .knobs = [this]() -> const std::vector<Knob>& { return agent.now().knobs; },
                  .set_holder = [this](KnobId, Holder holder) { return holders.push_back(holder), true; },
                  .bounds = &bounds,
                  .over = [this] { return over; }});
  }
  SteeredRun(const SteeredRun&) = delete;
  SteeredRun& operator=(const SteeredRun&) = delete;

  ScriptedPlant plant;
  ScriptedController controller;
  Agent agent{plant, &controller};
  Steering steering{{.verb = "run"}, TuneMode::kTune};
  KnobBounds bounds;
  std::vector<Holder> holders;  // that knobs were given to, in order
  bool over = false;
};

}  // namespace sluice::app
