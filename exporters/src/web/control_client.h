// ControlClient: one connection to the control socket, from its first byte to its last. It never waits: what
// cannot be done now is done when the server says that there is more. One thread (the server's).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/units.h"
#include "sluice/exporters/control_server.h"
#include "web/http_request.h"
#include "web/stream_pace.h"
#include "web/web_channel.h"

namespace sluice::exporters {

class ControlClient {
 public:
  enum class State {
    kAsking,     // its request is not complete
    kWaiting,    // for the answer of whoever has the lap
    kStreaming,  // it gets lines until one side ends it
    kAnswering,  // it has not taken the whole answer
    kLeaving,    // it has, and may still be sending
    kGone,
  };

  // It has until `deadline` for its request and the answer. `token`: that it has to show; empty: none.
  ControlClient(Fd socket, std::uint64_t id, MonoTime deadline, const ControlLimits& limits,
                std::string token)
      : channel_(std::move(socket)),
        id_(id),
        deadline_(deadline),
        limits_(limits),
        token_(std::move(token)) {}

  // Reads and writes what can be read and written now. `hung_up`: the other side is gone for good. Returns
  // the request when that is complete, once.
  [[nodiscard]] std::optional<ControlRequest> Advance(bool hung_up);
  void Answer(const ControlAnswer& answer);
  void Refuse(int status, std::string_view why);
  void Stream(std::size_t pipeline);
  // A line to a stream, if its viewer has room for it.
  void Tell(std::string_view line);
  void EndStream();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::size_t pipeline() const { return pipeline_; }  // that it views
  // That ends with its stream; empty: none.
  [[nodiscard]] const std::string& held_lease() const { return held_lease_; }
  // nullopt: it may take its time.
  [[nodiscard]] std::optional<MonoTime> deadline() const;
  [[nodiscard]] int fd() const { return channel_.fd(); }
  [[nodiscard]] short events() const;  // what to poll() for

 private:
  [[nodiscard]] std::optional<ControlRequest> ReadRequest();
  [[nodiscard]] std::optional<ControlRequest> TakeIn();
  [[nodiscard]] bool TakeHead(std::size_t length);
  [[nodiscard]] bool MayAsk() const;
  void Write();
  void ReadRest();
  std::size_t Read(char* to, std::size_t most);

  WebChannel channel_;
  const std::uint64_t id_;
  const MonoTime deadline_;
  const ControlLimits& limits_;
  const std::string token_;
  State state_ = State::kAsking;
  std::string in_, out_;
  std::size_t written_ = 0;
  std::size_t ignored_ = 0;             // bytes behind its request
  std::optional<HttpRequest> request_;  // its head is there
  std::size_t body_ = 0;                // its length
  std::string lease_;                   // that its request came with
  std::string held_lease_;
  std::size_t pipeline_ = 0;
  StreamPace pace_;
};

}  // namespace sluice::exporters
