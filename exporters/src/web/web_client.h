// WebClient: one connection, from its first byte to its last. It never waits: what cannot be done now is done
// when the listener says that there is more. One thread (the listener's).
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "sluice/base/units.h"
#include "web/http_answer.h"
#include "web/http_request.h"
#include "web/web_channel.h"

namespace sluice::exporters {

using WebHandler = std::function<HttpAnswer(const HttpRequest&)>;

class WebClient {
 public:
  enum class State {
    kAsking,     // its request is not complete
    kAnswering,  // it has not taken the whole answer
    kLeaving,    // it has, and may still be sending
    kGone,
  };

  // It has until `deadline` for everything; who watches that is the listener.
  WebClient(WebChannel channel, MonoTime deadline, std::size_t longest_head)
      : channel_(std::move(channel)), deadline_(deadline), longest_head_(longest_head) {}

  // Reads and writes what can be read and written now.
  void Advance(const WebHandler& handler);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] MonoTime deadline() const { return deadline_; }
  [[nodiscard]] int fd() const { return channel_.fd(); }
  [[nodiscard]] short events() const { return channel_.wants(); }  // what to poll() for

 private:
  void ReadRequest(const WebHandler& handler);
  void TakeIn(const WebHandler& handler);
  void Answer(const HttpAnswer& answer, bool with_body);
  void WriteAnswer();
  void ReadRest();
  // Bytes read; 0: none now, and the state says whether more can come.
  std::size_t Read(char* to, std::size_t most);

  WebChannel channel_;
  const MonoTime deadline_;
  const std::size_t longest_head_;
  State state_ = State::kAsking;
  std::string in_, out_;
  std::size_t written_ = 0;
  std::size_t ignored_ = 0;  // bytes behind its request
};

}  // namespace sluice::exporters
