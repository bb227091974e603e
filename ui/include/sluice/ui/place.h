// Places on the screen, in pixels from its top left corner, and what colours are for. Plain values.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

namespace sluice::ui {

struct Point {
  float x = 0, y = 0;
};

struct Box {
  float x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] float right() const { return x + width; }
  [[nodiscard]] float bottom() const { return y + height; }
  [[nodiscard]] bool Holds(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
};

// Whether the pointer can get hold of the top of a window that is there.
[[nodiscard]] inline bool WithinReach(Box window, std::span<const Box> screens) {
  const Point top{window.x + window.width / 2, window.y};
  return std::ranges::any_of(screens, [&](Box screen) { return screen.Holds(top); });
}

// From top to bottom in one column of pixels.
struct Stroke {
  float x = 0, top = 0, bottom = 0;
};

// What a colour says; which one it is, is the palette's business.
enum class Paint : std::uint8_t {
  kBackground,
  kPanel,
  kLine,  // borders and axes
  kText,
  kFaint,   // text that is less important
  kAccent,  // what is chosen, and what can be clicked
  kGood,
  kWarning,
  kBad,
  kOnCpu,
  kRunnable,
  kOffCpu,
  kBusy,  // where it is not known what of it was on a core
  kStarved,
  kBackedUp,
  kRate,  // of curves
  kWait,
  kFill,
  kCores,
  kMemory,
  kCount,
};

}  // namespace sluice::ui
