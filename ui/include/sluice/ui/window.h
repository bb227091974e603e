// The desktop window, and pictures of it without one.
#pragma once
#include <memory>
#include <string>

#include "sluice/base/error.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/screen.h"

namespace sluice::ui {

struct WindowWish {
  int width = 1280, height = 800;  // at scale 1
  float scale = 0;                 // 0: what the screen asks for
  Choice choice{};                 // at first; its scale is set from the one above
};

// Shows the feed, or the start page where there is none, until the user closes it. Only the main thread. An
// error where there is no display, or no OpenGL on it.
[[nodiscard]] Result<void> ShowWindow(Desk& desk, std::unique_ptr<Feed> feed, const WindowWish& wish);

// The same as a PNG file, drawn without a display. The size is that of the picture.
[[nodiscard]] Result<void> TakePicture(Desk& desk, std::unique_ptr<Feed> feed, const WindowWish& wish,
                                       const std::string& file);

}  // namespace sluice::ui
