// Dressing: ImGui's fonts, sizes and colours for a theme and a scale. One thread; needs ImGui's context.
#pragma once
#include "panels/painter.h"
#include "sluice/base/error.h"

namespace sluice::ui {

// ImGui draws by OpenGL from now on, whose context is there. An error, and nothing to shut down, where ImGui
// does not find OpenGL's library.
[[nodiscard]] Result<void> BeginDrawing();

class Dressing {
 public:
  // Puts everything in place for the next frame. An error where the font is missing.
  [[nodiscard]] Result<void> Wear(Theme theme, float scale);
  [[nodiscard]] const Fonts& fonts() const { return fonts_; }

 private:
  [[nodiscard]] Result<void> LoadFonts(float scale);

  Fonts fonts_;
  Theme theme_ = Theme::kCount;  // none yet
  float scale_ = 0;
};

}  // namespace sluice::ui
