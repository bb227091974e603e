// MetricsServer: serves the latest exposition at GET /metrics over HTTP, on the loopback interface unless
// those who ask have to say who they are. Read-only: it takes no orders, whatever is sent to it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/exposition.h"

namespace sluice::exporters {

// Thread-safe. Requests are answered by a thread of its own from what was published, which is a copy: a
// scrape never touches a live object. The text is made on that thread, in the format that a client asks for,
// once for all who ask for it before something newer is published. The destructor waits for the thread.
class MetricsServer {
 public:
  // `address` is "HOST:PORT" with a literal IPv4 address or "localhost"; port 0 picks a free one.
  // `web_config` is a file as the exporter-toolkit's --web.config.file has it, for TLS, passwords and
  // headers; empty: none. An address that other machines can reach is refused unless that file asks them for
  // a password or a certificate, and so is a file that cannot be kept to. It is read again when it changes;
  // if it cannot be kept to then, what held before goes on.
  [[nodiscard]] static Result<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                                    const std::string& web_config = "");
  // Whether they may be asked for; opens nothing.
  [[nodiscard]] static Result<void> Check(const std::string& address, const std::string& web_config = "");
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // Replaces what the next scrape gets. Until the first call a scrape gets status 503.
  void Publish(Exposition exposition);
  // Names the run in what /-/sd tells Prometheus' service discovery; returns that, for a file. One target for
  // all, or one for each process of what was published last.
  std::string Describe(const std::string& run_id, bool per_process = false);
  // Whether what was published last has yet to be scraped, and for how long those who scrape may take to come
  // back for it, but no longer than `most`; nullopt: it has, or nobody scrapes. Each path is scraped by
  // itself.
  [[nodiscard]] std::optional<Nanos> ScrapeDue(Nanos most);
  // Waits as long as that, or until `given_up`, which is asked ten times a second.
  void AwaitScrape(Nanos most, const std::function<bool()>& given_up = {});

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& url() const { return url_; }  // "http://127.0.0.1:9464/metrics"
  // What in the file has no effect, or less than one may think. For the user, a line each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // The same of what the file has become since, and why it is not kept to; each is returned once.
  [[nodiscard]] std::vector<std::string> TakeNews();

 private:
  struct State;
  MetricsServer(std::unique_ptr<State> state, std::vector<std::string> warnings);

  std::unique_ptr<State> state_;
  int port_ = 0;
  std::string url_;
  std::vector<std::string> warnings_;
};

}  // namespace sluice::exporters
