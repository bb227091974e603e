#include "sluice/exporters/metrics_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "metrics/metrics_pages.h"
#include "metrics/scrape_pace.h"
#include "metrics/service_discovery.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "web/live_web_config.h"
#include "web/metrics_address.h"
#include "web/web_listener.h"

namespace sluice::exporters {

struct MetricsServer::State {
  // Of one path.
  struct Scrapes {
    ScrapePace pace;
    std::shared_ptr<const ServedExposition> collected;  // what was scraped last
  };

  State(MetricsAddress at, LiveWebConfig by)
      : address(std::move(at)), tls(by.tls() != nullptr), config(std::move(by)) {}
  [[nodiscard]] ServedNow Latest() EXCLUDES(mutex);
  void NoteScrape(const std::string& path, std::shared_ptr<const ServedExposition> served) EXCLUDES(mutex);
  [[nodiscard]] std::optional<Nanos> Due(MonoTime at_most) REQUIRES(mutex);
  // Of the listener's thread.
  HttpAnswer Answer(const HttpRequest& request);
  HttpAnswer AnswerIfAllowed(const HttpRequest& request);
  void LookAtConfig() EXCLUDES(mutex);

  const MetricsAddress address;
  const bool tls;
  LiveWebConfig config;  // of the listener's thread
  Mutex mutex;
  CondVar scraped;
  ServedNow now GUARDED_BY(mutex);
  std::map<std::string, Scrapes> scrapes GUARDED_BY(mutex);
  std::vector<std::string> news GUARDED_BY(mutex);
  std::unique_ptr<WebListener> listener;  // the last: its thread reads the others
};

namespace {

constexpr std::chrono::milliseconds kGlance{100};

// What was asked for, and may be.
struct Plan {
  MetricsAddress address;
  LiveWebConfig config;
};

Result<void> Allow(const std::string& text, const MetricsAddress& address, const WebConfig& config) {
  if (IsLoopback(address) || AsksWhoTheyAre(config)) return {};
  return Fail(fmt::format(
      "metrics address '{}' can be reached from other machines, and nobody is asked who they are; use "
      "127.0.0.1:{}, or a --web.config.file with basic_auth_users, or with client_auth_type: "
      "RequireAndVerifyClientCert",
      text, address.port));
}

std::string NameOfThisMachine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::vector<std::string> WarningsOf(const Plan& plan) {
  const WebConfig& config = plan.config.config();
  std::vector<std::string> warnings = config.warnings;
  if (!config.users.empty() && !config.tls && !IsLoopback(plan.address))
    warnings.emplace_back(
        "passwords for the metrics go over the network for all to read; add tls_server_config");
  return warnings;
}

Result<Plan> MakePlan(const std::string& text, const std::string& web_config) {
  const auto address = ParseMetricsAddress(text);
  if (!address) return std::unexpected(address.error());
  auto config = LiveWebConfig::Read(
      web_config, [text, at = *address](const WebConfig& read) { return Allow(text, at, read); });
  if (!config) return std::unexpected(config.error());
  return Plan{*address, std::move(*config)};
}

}  // namespace

ServedNow MetricsServer::State::Latest() {
  const MutexLock lock(mutex);
  return now;
}

void MetricsServer::State::NoteScrape(const std::string& path,
                                      std::shared_ptr<const ServedExposition> served) {
  const MutexLock lock(mutex);
  Scrapes& of = scrapes[path];
  of.pace.Note(MonoNow());
  of.collected = std::move(served);
  scraped.NotifyAll();
}

HttpAnswer MetricsServer::State::AnswerIfAllowed(const HttpRequest& request) {
  using enum BasicAuth::Verdict;
  BasicAuth* auth = config.auth();
  const auto verdict = auth != nullptr ? auth->Judge(request.Header("authorization"), MonoNow()) : kRight;
  if (verdict == kTryLater)
    return {.status = 429, .body = "too many wrong passwords\n", .headers = {{"Retry-After", "1"}}};
  if (verdict == kWrong)
    return {
        .status = 401, .body = "who are you?\n", .headers = {{"WWW-Authenticate", "Basic realm=\"sluice\""}}};
  const ServedNow latest = Latest();
  HttpAnswer answer = AnswerTo(request, latest);
  const bool scrape =
      request.method == "GET" && latest.latest != nullptr && latest.latest->Find(request.path);
  if (scrape) NoteScrape(request.path, latest.latest);
  return answer;
}

void MetricsServer::State::LookAtConfig() {
  std::vector<std::string> told = config.LookAgain();
  if (told.empty()) return;
  const MutexLock lock(mutex);
  std::ranges::move(told, std::back_inserter(news));
}

HttpAnswer MetricsServer::State::Answer(const HttpRequest& request) {
  LookAtConfig();
  HttpAnswer answer = AnswerIfAllowed(request);
  for (const auto& [name, value] : config.config().headers) {
    std::erase_if(answer.headers, [&](const auto& header) { return header.first == name; });
    answer.headers.emplace_back(name, value);
  }
  return answer;
}

MetricsServer::MetricsServer(std::unique_ptr<State> state, std::vector<std::string> warnings)
    : state_(std::move(state)),
      port_(state_->listener->port()),
      url_(fmt::format("{}://{}:{}/metrics", state_->tls ? "https" : "http", state_->address.host, port_)),
      warnings_(std::move(warnings)) {}

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
  std::vector<std::string> warnings = WarningsOf(*plan);
  auto state = std::make_unique<State>(plan->address, std::move(plan->config));
  const auto handler = [shared = state.get()](const HttpRequest& request) { return shared->Answer(request); };
  WebListener::TlsNow tls;
  if (state->tls) {
    tls = [shared = state.get()]() -> const TlsContext& {
      shared->LookAtConfig();
      return *shared->config.tls();
    };
  }
  auto listener = WebListener::Start(state->address, handler, {}, std::move(tls));
  if (!listener) return std::unexpected(listener.error());
  state->listener = std::move(*listener);
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(state), std::move(warnings)));
}

void MetricsServer::Publish(Exposition exposition) {
  auto served = std::make_shared<ServedExposition>(std::move(exposition));
  const MutexLock lock(state_->mutex);
  std::swap(state_->now.latest, served);
}

std::string MetricsServer::Describe(const std::string& run_id, bool per_process) {
  const std::string host =
      state_->address.ip.s_addr == INADDR_ANY ? NameOfThisMachine() : state_->address.host;
  const ServerTarget server{fmt::format("{}:{}", host, port_), state_->tls, run_id};
  const auto latest = state_->Latest().latest;
  const auto processes = latest != nullptr ? latest->processes() : std::vector<MetricProcess>();
  std::string targets = per_process ? TargetsJson(server, processes) : TargetsJson(server);
  const MutexLock lock(state_->mutex);
  state_->now.targets = targets;
  return targets;
}

std::vector<std::string> MetricsServer::TakeNews() {
  const MutexLock lock(state_->mutex);
  return std::exchange(state_->news, {});
}

std::optional<Nanos> MetricsServer::State::Due(MonoTime at_most) {
  std::optional<MonoTime> until;
  for (const auto& [path, of] : scrapes) {
    const auto next_by = of.pace.NextBy();
    if (of.collected == now.latest || !next_by || !now.latest->Find(path)) continue;
    until = std::max(until.value_or(*next_by), *next_by);
  }
  if (!until) return std::nullopt;
  const Nanos left = std::min(*until, at_most) - MonoNow();
  return left.count() > 0 ? std::optional(left) : std::nullopt;
}

std::optional<Nanos> MetricsServer::ScrapeDue(Nanos most) {
  const MutexLock lock(state_->mutex);
  return state_->Due(MonoNow() + most);
}

void MetricsServer::AwaitScrape(Nanos most, const std::function<bool()>& given_up) {
  const MonoTime at_most = MonoNow() + most;
  const MutexLock lock(state_->mutex);
  while (const auto left = state_->Due(at_most)) {
    if (given_up && given_up()) return;
    state_->scraped.WaitFor(state_->mutex, std::min<Nanos>(*left, kGlance));
  }
}

}  // namespace sluice::exporters
