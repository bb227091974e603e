// The desktop window, and pictures of it without one.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "sluice/base/error.h"
#include "sluice/ui/compare.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/keys.h"
#include "sluice/ui/screen.h"

namespace sluice::ui {

// Where a window is, without its frame, in the screen's coordinates.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool maximised = false;  // the rest is where it is when it is not
};

struct WindowWish {
  int width = 1280, height = 800;          // at scale 1
  std::optional<WindowPlace> place{};      // instead of the two above
  float scale = 0;                         // 0: what the screen asks for
  Choice choice{};                         // at first; its scale is set from the one above
  std::optional<Comparison> comparison{};  // shown at first; its A is the feed
  std::optional<Plan> plan{};              // the form that is shown at first
  KeyMap keys{};
  std::string notice{};  // shown over all else until the user has read it
};

// What the user has made of it.
struct WindowLeft {
  Choice first{}, last{};  // when it was opened, when it was closed
  WindowPlace place{};
};

// Shows the feed, or the start page where there is none, until the user closes it. Only the main thread. An
// error where there is no display, or no OpenGL on it.
[[nodiscard]] Result<WindowLeft> ShowWindow(Desk& desk, std::unique_ptr<Feed> feed, WindowWish wish);

// The same as a PNG file, drawn without a display. The size is that of the picture.
[[nodiscard]] Result<void> TakePicture(Desk& desk, std::unique_ptr<Feed> feed, WindowWish wish,
                                       const std::string& file);

}  // namespace sluice::ui
