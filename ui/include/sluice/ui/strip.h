// The verdict strip: what holds the run up, in one sentence with its evidence, and what to do next. It is
// never empty: where there is nothing to judge yet, it says why, and what to do about that. Immutable
// functions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/ui/scene.h"

namespace sluice::ui {

enum class StripState : std::uint8_t {
  kStarting = 0,       // nothing has come out yet
  kNoConsumer = 1,     // nobody asks for items
  kStalled = 2,        // the consumer waits, and nothing comes for a long time
  kStale = 3,          // the process shows no life: the last figures are shown, with their age
  kNotEnoughData = 4,  // it flows, but there is no verdict yet
  kKeepsUp = 5,        // the consumer hardly waits
  kWaitsAtTimes = 6,   // from 5 % of its time on
  kInputBound = 7,     // from 20 % on
  kEnded = 8,          // watched live, and over
};

struct StripFigure {
  std::string name, value;
};

struct Strip {
  StripState state = StripState::kStarting;
  std::string word;      // "INPUT-BOUND": the state for the eye
  std::string glyph;     // says the same without colour
  std::string sentence;  // with the evidence
  std::string next;      // what to do, or what is being tried
  std::vector<StripFigure> figures{};
};

[[nodiscard]] Strip MakeStrip(const Scene& scene);

// "keeps_up": for documents.
[[nodiscard]] const char* StripStateName(StripState state);

}  // namespace sluice::ui
