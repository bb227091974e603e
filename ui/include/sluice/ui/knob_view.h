// One knob as it is shown to be turned, and whoever holds knobs and tuner. Immutable functions from values to
// words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/ui/scene.h"

namespace sluice::ui {

struct KnobView {
  std::string title{};    // "decode.workers"; empty: there is no such knob
  std::string summary{};  // "2 in force, 1 to 64, takes effect at once"
  std::vector<std::pair<std::string, std::string>> figures{};
  std::int64_t min = 1, max = 1;
  std::int64_t wanted = 1;  // asked for, or about to be
  bool wide = false;        // too wide a range for a slider with even steps
  std::string outlook{};    // what `wanted` would give, or why nobody can tell
  bool doubtful = false;    // it would give less, or not fit
  bool free = false;        // it can be set now
  bool changes = false;     // `wanted` is not what was asked for last
  std::string fixed{};      // why it cannot be set; empty: it can
  bool pinned = false;
  std::optional<KnobRange> bounds{};  // that the tuner keeps to, within min and max
};

// `wanted`: as the user has it; nullopt: not touched.
[[nodiscard]] KnobView DescribeKnob(const Scene& scene, std::size_t index,
                                    std::optional<std::int64_t> wanted);
// The bounds with `wanted` as the least value, or as the greatest; without that where it is so already.
// nullopt: none are left.
[[nodiscard]] std::optional<KnobRange> Rebounded(const KnobView& knob, bool least);
// One step up or down: of one, in wide ranges of an eighth. Within the range.
[[nodiscard]] std::int64_t Stepped(const Knob& knob, std::int64_t from, int by);
// "80 → 124 items/s (+55%), 3.2 of 4 cores, at most 120 MiB of 512 MiB; then decode is the limit".
[[nodiscard]] std::string OutlookText(const ForecastSeen& forecast);

struct SteeringView {
  std::string line{};  // who holds what, or what came of the last wish
  bool warns = false;  // the wish did not come true, or somebody else holds
  bool open = false;   // wishes can come true
  bool held = false;   // by anybody
  bool undoes = false, redoes = false;
  std::vector<KnobValue> advice{};  // what the tuner would do, had it not only to say so
};
[[nodiscard]] SteeringView DescribeSteering(const Scene& scene);

}  // namespace sluice::ui
