// WebListener: a small HTTP server that no client can make costly. One thread serves all, never waits for one
// of them, and runs at a low priority. There are at most so many connections, with so long a head and so much
// time for everything; when all are taken, a new one takes the place of the oldest that is not finished, so
// that whoever asks at once is answered while others hold connections open. Each connection has one request.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"
#include "web/metrics_address.h"
#include "web/tls_context.h"
#include "web/web_client.h"

namespace sluice::exporters {

struct WebLimits {
  std::size_t clients = 64;
  std::size_t head = 16 << 10;                // bytes
  Nanos patience = std::chrono::seconds(10);  // for a request and its answer together
};

class WebListener {
 public:
  using TlsNow = std::function<const TlsContext&()>;

  // With `tls` it speaks nothing else, each connection as it says then. Both functions are called on the
  // listener's thread. Errors are those of bind(), as text with the remedy.
  [[nodiscard]] static Result<std::unique_ptr<WebListener>> Start(const MetricsAddress& address,
                                                                  WebHandler handler,
                                                                  const WebLimits& limits = {},
                                                                  TlsNow tls = {});
  ~WebListener();  // open connections are dropped, but for answers that are under way
  WebListener(const WebListener&) = delete;
  WebListener& operator=(const WebListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  WebListener(Fd socket, Fd stop, WebHandler handler, const WebLimits& limits, TlsNow tls);
  void Main();
  void Leave();
  void Wait();
  void Accept();
  void Admit(Fd socket);
  void MakeRoom();
  void Serve();

  const Fd socket_, stop_;
  const WebHandler handler_;
  const WebLimits limits_;
  const TlsNow tls_;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<WebClient>> clients_;  // the oldest first
  std::vector<bool> ready_;                          // of these
  bool stopping_ = false, knocked_ = false;
  MonoTime rests_until_{0};            // no descriptor is left to accept with
  std::optional<MonoTime> leaves_by_;  // it is to end
  std::thread thread_;
};

}  // namespace sluice::exporters
