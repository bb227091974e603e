// AutoTune without some of its rules, for `bench/ablate`. There are none but in a build with SLUICE_ABLATION.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/autotune/controller.h"

namespace sluice::autotune {

struct RuleInfo {
  std::string name;   // "trim-slack"
  std::string where;  // the stage that it belongs to
  std::string what;   // it does
};

// Empty in any other build.
[[nodiscard]] std::vector<RuleInfo> Rules();
// `rules`: one, or several as "trim+trust". nullptr: one does not exist or cannot be left out in this build.
[[nodiscard]] std::unique_ptr<Controller> MakeAutoTuneWithout(std::string_view rules);

}  // namespace sluice::autotune
