// What OpenGL has drawn, as a PNG. The thread with its context.
#pragma once
#include <string>

#include "sluice/base/error.h"

namespace sluice::ui {

// Of the lower left part, which is as large as that, in pixels.
[[nodiscard]] Result<void> WritePicture(const std::string& file, int width, int height);

}  // namespace sluice::ui
