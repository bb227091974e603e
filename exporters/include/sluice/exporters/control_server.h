// ControlServer: HTTP on a Unix socket for those who watch and steer a run (docs/control-api.md). Its thread
// moves bytes and knows nothing of runs: requests wait in a bounded mailbox until the lap takes them, and
// answers and lines for streams come back. So whoever has the lap never waits for a client, and needs no lock
// for what it answers from.
//
// Take() to Tell() from one thread (the agent's).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::exporters {

// A request that is one by its form; all of it is untrusted.
struct ControlRequest {
  std::uint64_t id = 0;
  std::string method, path;
  std::string lease;  // of the header Sluice-Lease; empty: none
  std::string body;
};

struct ControlAnswer {
  int status = 200;
  std::string json{};
  // Instead: the connection becomes a viewer, and gets the lines of this number from now on.
  std::optional<std::size_t> stream{};
};

struct ControlMail {
  std::vector<ControlRequest> requests;
  std::vector<std::string> ended;  // leases whose streams have ended
};

struct ControlLimits {
  std::size_t clients = 32, streams = 16;
  std::size_t head = 16 << 10, body = 64 << 10;  // bytes
  Nanos patience = std::chrono::seconds(10);     // for a request and its answer together
};

// A port beside the socket, for other machines. Whoever comes that way shows the token with each request, as
// "Authorization: Bearer TOKEN". Nothing is encrypted.
struct ControlDoor {
  std::string address;  // HOST:PORT
  std::string token;
};

class ControlServer {
 public:
  // Makes the socket with mode 0600, in place of one that nobody listens at. Errors name the path or the
  // address.
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> Start(
      const std::string& path, const std::optional<ControlDoor>& door = std::nullopt,
      const ControlLimits& limits = {});
  ~ControlServer();  // removes the socket; streams are told that the run has ended
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] std::uint16_t port() const;  // of the door; 0: there is none
  // What has come since; costs next to nothing when that is nothing.
  [[nodiscard]] ControlMail Take();
  // Each request once.
  void Answer(std::uint64_t request, ControlAnswer answer);
  // Numbers that somebody views.
  [[nodiscard]] std::set<std::size_t> Watched() const;
  // A JSON object in one line, to all viewers of the number. One that comes before the last has gone out
  // takes its place.
  void Tell(std::size_t number, std::string line);

 private:
  struct State;
  explicit ControlServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Removes sockets of the folder that nobody listens at any more.
void RemoveDeadControlSockets(const std::string& folder);

inline constexpr const char* kControlSuffix = ".control";

}  // namespace sluice::exporters
