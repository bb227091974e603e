// Runs that the window has started: `sluice run` and `sluice sim` as processes of their own, which end with
// the window. One thread, the window's.
#pragma once
#include <memory>
#include <string>

#include "sluice/base/error.h"
#include "sluice/ui/feed.h"

namespace sluice::app {

// `program`: the `sluice` that does it.
[[nodiscard]] Result<std::unique_ptr<ui::Started>> StartRun(const std::string& program, const ui::Plan& plan);

}  // namespace sluice::app
