// ControlConnection: bytes to and from a control socket (docs/control-api.md), none of which is waited for
// beyond a deadline. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"
#include "sluice/base/units.h"

namespace sluice::app {

// Where somebody answers.
struct ControlPeer {
  std::string where{};  // a socket's path, or HOST:PORT
  std::string token{};  // that opens the latter
};
// Whether it is the path of a socket, and not HOST:PORT.
[[nodiscard]] bool IsPath(const std::string& where);

struct ControlCall {
  std::string method{}, path{};
  std::string lease{};  // empty: none
  std::string body{};   // JSON
};

class ControlConnection {
 public:
  // Errors name the place and say what to do. Names of machines are looked up without a deadline.
  [[nodiscard]] static Result<ControlConnection> Open(const ControlPeer& peer, MonoTime until);

  [[nodiscard]] Result<void> Ask(const ControlCall& call, MonoTime until);
  // More bytes; none: the other side has closed. nullopt: nothing has come by then.
  [[nodiscard]] Result<std::optional<std::string_view>> Receive(MonoTime until);

  // What an error of the kernel's means for who asks there.
  [[nodiscard]] static std::unexpected<Error> Failed(const std::string& where, int error);

 private:
  ControlConnection(Fd fd, const ControlPeer& peer) : fd_(std::move(fd)), peer_(peer) {}

  Fd fd_;
  ControlPeer peer_;
  std::string part_;
};

}  // namespace sluice::app
