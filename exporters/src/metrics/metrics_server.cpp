#include "sluice/exporters/metrics_server.h"

#include <fmt/format.h>

#include <utility>

#include "metrics/metrics_pages.h"
#include "sluice/base/mutex.h"
#include "web/metrics_address.h"
#include "web/web_listener.h"

namespace sluice::exporters {

struct MetricsServer::State {
  [[nodiscard]] std::shared_ptr<const Exposition> Latest() EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    return exposition;
  }
  Mutex mutex;
  std::shared_ptr<const Exposition> exposition GUARDED_BY(mutex);
  std::unique_ptr<WebListener> listener;  // the last: its thread reads the others
};

namespace {

Result<MetricsAddress> AllowedAddress(const std::string& text, bool allow_remote) {
  Result<MetricsAddress> address = ParseMetricsAddress(text);
  if (!address || IsLoopback(*address) || allow_remote) return address;
  return Fail(
      fmt::format("metrics address '{}' can be reached from other machines, and nobody is asked who "
                  "they are; use 127.0.0.1:{}, or allow it explicitly",
                  text, address->port));
}

}  // namespace

MetricsServer::MetricsServer(std::unique_ptr<State> state, const std::string& host)
    : state_(std::move(state)),
      port_(state_->listener->port()),
      url_(fmt::format("http://{}:{}/metrics", host, port_)) {}

MetricsServer::~MetricsServer() = default;

Result<void> MetricsServer::Check(const std::string& address, bool allow_remote) {
  const auto allowed = AllowedAddress(address, allow_remote);
  if (!allowed) return std::unexpected(allowed.error());
  return {};
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& address, bool allow_remote) {
  const auto parsed = AllowedAddress(address, allow_remote);
  if (!parsed) return std::unexpected(parsed.error());
  auto state = std::make_unique<State>();
  auto listener = WebListener::Start(*parsed, [shared = state.get()](const HttpRequest& request) {
    return AnswerTo(request, shared->Latest().get());
  });
  if (!listener) return std::unexpected(listener.error());
  state->listener = std::move(*listener);
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(state), parsed->host));
}

void MetricsServer::Publish(Exposition exposition) {
  auto shared = std::make_shared<const Exposition>(std::move(exposition));
  const MutexLock lock(state_->mutex);
  state_->exposition = std::move(shared);
}

}  // namespace sluice::exporters
