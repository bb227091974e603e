// MetricsServer: serves the latest exposition at GET /metrics over plain HTTP, on the loopback interface
// unless told otherwise. Read-only: it takes no orders, whatever is sent to it.
#pragma once
#include <memory>
#include <string>

#include "sluice/base/error.h"
#include "sluice/exporters/exposition.h"

namespace sluice::exporters {

// Thread-safe. Requests are answered by a thread of its own from a copy of what was published, in the format
// that the client asks for; a scrape never touches a live object. The destructor waits for it.
class MetricsServer {
 public:
  // `address` is "HOST:PORT" with a literal IPv4 address or "localhost"; port 0 picks a free one. An address
  // that other machines can reach is refused unless `allow_remote`: there is no authentication.
  [[nodiscard]] static Result<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                                    bool allow_remote = false);
  // Whether such an address may be asked for; opens nothing.
  [[nodiscard]] static Result<void> Check(const std::string& address, bool allow_remote = false);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // Replaces what the next scrape gets. Until the first call a scrape gets status 503.
  void Publish(Exposition exposition);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& url() const { return url_; }  // "http://127.0.0.1:9464/metrics"

 private:
  struct State;
  MetricsServer(std::unique_ptr<State> state, const std::string& host);

  std::unique_ptr<State> state_;
  int port_ = 0;
  std::string url_;
};

}  // namespace sluice::exporters
