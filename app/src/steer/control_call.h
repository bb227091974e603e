// One request to a control socket (docs/control-api.md), and its answer. Blocks; any thread.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::app {

struct ControlCall {
  std::string method{}, path{};
  std::string lease{};  // empty: none
  std::string body{};   // JSON
};

struct ControlReply {
  int status = 0;
  std::string body{};
};

// Errors name the socket and say what to do. `patience`: for the whole of it.
[[nodiscard]] Result<ControlReply> CallControl(const std::string& socket, const ControlCall& call,
                                               Nanos patience);

// All bytes of an answer until its end; an error where it is none, or was cut. Pure; `bytes` is untrusted.
[[nodiscard]] Result<ControlReply> ReadReply(std::string_view bytes);

}  // namespace sluice::app
