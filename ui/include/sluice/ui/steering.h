// Steering: what may be asked of whoever tunes the run that is shown, and what is known of that. Plain
// values; how they get there is the feed's business.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/forecast.h"

namespace sluice::ui {

enum class Ask : std::uint8_t {
  kSet,
  kForecast,  // what kSet would give; changes nothing
  kPin,
  kUnpin,
  kBound,   // the tuner stays within a range
  kHold,    // the tuner changes nothing any more ...
  kResume,  // ... and goes on
  kUndo,    // the last change of this viewer
  kRedo,    // the last one undone
};

struct KnobValue {
  std::string knob{};  // "decode.workers"
  std::int64_t value = 0;
  friend bool operator==(const KnobValue&, const KnobValue&) = default;
};

struct KnobRange {
  std::int64_t min = 1, max = 1;
  friend bool operator==(const KnobRange&, const KnobRange&) = default;
};

struct Wish {
  Ask ask{};
  std::vector<KnobValue> knobs{};    // that it is about; none for the tuner and for what was done before
  std::optional<KnobRange> range{};  // kBound; nullopt: all that the run allows
  friend bool operator==(const Wish&, const Wish&) = default;
};

// As the run's own model sees it.
struct ForecastSeen {
  std::vector<KnobValue> knobs{};
  Outlook now{}, then{};
  std::string limited_by{};       // then: "decode", "the cores"; empty: the consumer
  std::optional<Bytes> memory{};  // that may be held
  double cores = 0;               // that may be used; 0: not known
  std::string refused{};          // why there is none; the rest is empty then
};

// That users let the tuner give the knob.
struct KnobBound {
  std::string knob{};
  KnobRange range{};
};

struct SteeringSeen {
  bool open = false;                    // somebody answers
  std::string closed{};                 // why not, with what to do; empty: not known yet, and wishes wait
  std::string tuning{};                 // "tuning", "advising", "not tuning"
  std::string held_by{};                // who has told the tuner to hold; empty: nobody
  std::string holder{};                 // who else has the lease; empty: nobody else
  std::string said{};                   // what came of the last wish
  bool refused = false;                 // it did not come true
  bool undoes = false, redoes = false;  // there is something to
  std::vector<KnobBound> bounds{};
  std::optional<ForecastSeen> forecast{};
};

}  // namespace sluice::ui
