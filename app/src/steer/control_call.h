// One request to a control socket (docs/control-api.md), and its answer. Blocks; any thread.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "steer/control_connection.h"

namespace sluice::app {

struct ControlReply {
  int status = 0;
  std::string body{};
};

// Errors name the place and say what to do. `patience`: for the whole of it.
[[nodiscard]] Result<ControlReply> CallControl(const ControlPeer& peer, const ControlCall& call,
                                               Nanos patience);

// Why it refuses, in its own words.
[[nodiscard]] std::string RefusalIn(const ControlReply& reply);

// All bytes of an answer until its end; an error where it is none, or was cut. Pure; `bytes` is untrusted.
[[nodiscard]] Result<ControlReply> ReadReply(std::string_view bytes);

}  // namespace sluice::app
