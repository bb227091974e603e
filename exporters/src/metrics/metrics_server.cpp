#include "sluice/exporters/metrics_server.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "metrics/metrics_pages.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "web/basic_auth.h"
#include "web/metrics_address.h"
#include "web/web_config.h"
#include "web/web_listener.h"

namespace sluice::exporters {

struct MetricsServer::State {
  [[nodiscard]] std::shared_ptr<const Exposition> Latest() EXCLUDES(mutex);
  // Of the listener's thread.
  HttpAnswer Answer(const HttpRequest& request);
  HttpAnswer AnswerIfAllowed(const HttpRequest& request);

  MetricsAddress address;
  WebConfig config;
  std::optional<BasicAuth> auth;
  Mutex mutex;
  std::shared_ptr<const Exposition> exposition GUARDED_BY(mutex);
  std::unique_ptr<WebListener> listener;  // the last: its thread reads the others
};

namespace {

// What was asked for, and may be.
struct Plan {
  MetricsAddress address;
  WebConfig config;
  std::optional<TlsContext> tls;
};

Result<void> Allow(const std::string& text, const Plan& plan) {
  if (IsLoopback(plan.address) || AsksWhoTheyAre(plan.config)) return {};
  return Fail(fmt::format(
      "metrics address '{}' can be reached from other machines, and nobody is asked who they are; use "
      "127.0.0.1:{}, or a --web.config.file with basic_auth_users, or with client_auth_type: "
      "RequireAndVerifyClientCert",
      text, plan.address.port));
}

void NotePlainPasswords(Plan& plan) {
  if (plan.config.users.empty() || plan.tls || IsLoopback(plan.address)) return;
  plan.config.warnings.emplace_back(
      "passwords for the metrics go over the network for all to read; add tls_server_config");
}

Result<Plan> MakePlan(const std::string& address, const std::string& web_config) {
  Plan plan;
  if (auto parsed = ParseMetricsAddress(address)) {
    plan.address = *parsed;
  } else {
    return std::unexpected(parsed.error());
  }
  if (!web_config.empty()) {
    auto config = ReadWebConfig(web_config);
    if (!config) return std::unexpected(config.error());
    plan.config = std::move(*config);
  }
  if (const auto allowed = Allow(address, plan); !allowed) return std::unexpected(allowed.error());
  if (plan.config.tls) {
    auto tls = TlsContext::Make(*plan.config.tls);
    if (!tls) return std::unexpected(tls.error());
    plan.tls = std::move(*tls);
  }
  NotePlainPasswords(plan);
  return plan;
}

}  // namespace

std::shared_ptr<const Exposition> MetricsServer::State::Latest() {
  const MutexLock lock(mutex);
  return exposition;
}

HttpAnswer MetricsServer::State::AnswerIfAllowed(const HttpRequest& request) {
  using enum BasicAuth::Verdict;
  const auto verdict = auth ? auth->Judge(request.Header("authorization"), MonoNow()) : kRight;
  if (verdict == kTryLater)
    return {.status = 429, .body = "too many wrong passwords\n", .headers = {{"Retry-After", "1"}}};
  if (verdict == kWrong)
    return {
        .status = 401, .body = "who are you?\n", .headers = {{"WWW-Authenticate", "Basic realm=\"sluice\""}}};
  return AnswerTo(request, Latest().get());
}

HttpAnswer MetricsServer::State::Answer(const HttpRequest& request) {
  HttpAnswer answer = AnswerIfAllowed(request);
  for (const auto& [name, value] : config.headers) {
    std::erase_if(answer.headers, [&](const auto& header) { return header.first == name; });
    answer.headers.emplace_back(name, value);
  }
  return answer;
}

MetricsServer::MetricsServer(std::unique_ptr<State> state)
    : state_(std::move(state)),
      port_(state_->listener->port()),
      url_(fmt::format("{}://{}:{}/metrics", state_->config.tls ? "https" : "http", state_->address.host,
                       port_)),
      warnings_(state_->config.warnings) {}

MetricsServer::~MetricsServer() = default;

Result<void> MetricsServer::Check(const std::string& address, const std::string& web_config) {
  const auto plan = MakePlan(address, web_config);
  if (!plan) return std::unexpected(plan.error());
  return {};
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& address,
                                                            const std::string& web_config) {
  auto plan = MakePlan(address, web_config);
  if (!plan) return std::unexpected(plan.error());
  auto state = std::make_unique<State>();
  state->address = plan->address;
  state->config = std::move(plan->config);
  if (!state->config.users.empty()) state->auth.emplace(state->config.users);
  const auto handler = [shared = state.get()](const HttpRequest& request) { return shared->Answer(request); };
  auto listener = WebListener::Start(state->address, handler, {}, std::move(plan->tls));
  if (!listener) return std::unexpected(listener.error());
  state->listener = std::move(*listener);
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(state)));
}

void MetricsServer::Publish(Exposition exposition) {
  auto shared = std::make_shared<const Exposition>(std::move(exposition));
  const MutexLock lock(state_->mutex);
  state_->exposition = std::move(shared);
}

}  // namespace sluice::exporters
