// ControlOptions: how a run can be watched and steered from outside, as the user asks for it.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/error.h"
#include "sluice/exporters/control_server.h"

namespace sluice::app {

struct ControlOptions {
  bool none = false;
  std::string listen{};      // HOST:PORT for other machines; empty: none
  std::string token_file{};  // what opens that
};

// What is asked for beside the socket; nullopt: nothing. Errors name the option and say what to do.
[[nodiscard]] Result<std::optional<exporters::ControlDoor>> DoorOf(const ControlOptions& options);

// The first line of a file that only its owner can read.
[[nodiscard]] Result<std::string> ReadToken(const std::string& file);

}  // namespace sluice::app
