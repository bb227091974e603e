#include "sluice/exporters/metrics_server.h"

#include <civetweb.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "metrics/accept_header.h"
#include "metrics/metrics_address.h"
#include "sluice/base/mutex.h"

namespace sluice::exporters {

struct MetricsServer::State {
  sockaddr_in address{};  // where it listens
  Mutex mutex;
  std::shared_ptr<const Exposition> exposition GUARDED_BY(mutex);
  mg_context* context = nullptr;
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

sockaddr_in SocketAddress(const MetricsAddress& address) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr = address.ip;
  to.sin_port = htons(address.port);
  return to;
}

// Why the address cannot be listened on; 0 when it can.
int BindError(const MetricsAddress& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const sockaddr_in to = SocketAddress(address);
  const int error = bind(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
  close(fd);
  return error;
}

std::string WhyNot(const std::string& text, const MetricsAddress& address) {
  const int error = BindError(address);
  if (error == EADDRINUSE || error == 0) {
    return fmt::format("cannot serve metrics on {}: the port is in use; choose another, or 0 for a free one",
                       text);
  }
  const char* remedy = error == EACCES ? "choose a port above 1023" : "choose an address of this machine";
  return fmt::format("cannot serve metrics on {}: {}; {}", text, std::strerror(error), remedy);
}

void Knock(const sockaddr_in& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  static_cast<void>(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));
  close(fd);
}

void Respond(mg_connection* connection, const char* status, const char* more, std::string_view body,
             bool with_body, MetricsFormat format = MetricsFormat::kText) {
  const std::string head = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n{}\r\n",
      status, ContentTypeOf(format), body.size(), more);
  mg_write(connection, head.data(), head.size());
  if (with_body) mg_write(connection, body.data(), body.size());
}

int Silence(const mg_connection*, const char*) {
  return 1;
}

mg_context* Listen(const MetricsAddress& address) {
  const std::string where = fmt::format("{}:{}", address.host, address.port);
  const char* options[] = {
      "listening_ports",   where.c_str(), "num_threads", "2", "request_timeout_ms", "5000",
      "enable_keep_alive", "no",          nullptr};
  mg_callbacks callbacks{};
  callbacks.log_message = Silence;
  return mg_start(&callbacks, nullptr, options);
}

}  // namespace

MetricsServer::MetricsServer(std::unique_ptr<State> state) : state_(std::move(state)) {
  const auto answer = [](mg_connection* connection, void* data) {
    auto& shared = *static_cast<State*>(data);
    const mg_request_info* request = mg_get_request_info(connection);
    const std::string_view method = request->request_method;
    const std::string_view path = request->local_uri == nullptr ? "" : request->local_uri;
    const bool get = method == "GET";
    if (!get && method != "HEAD") {
      Respond(connection, "405 Method Not Allowed", "Allow: GET, HEAD\r\n", "read-only\n", true);
      return 405;
    }
    if (path != "/metrics") {
      Respond(connection, "404 Not Found", "", "see /metrics\n", get);
      return 404;
    }
    std::shared_ptr<const Exposition> latest;
    {
      MutexLock lock(shared.mutex);
      latest = shared.exposition;
    }
    if (!latest) {
      Respond(connection, "503 Service Unavailable", "Retry-After: 1\r\n", "nothing measured yet\n", get);
      return 503;
    }
    const char* accept = mg_get_header(connection, "Accept");
    const MetricsFormat format = ChooseFormat(accept == nullptr ? "" : accept);
    const bool open = format == MetricsFormat::kOpenMetrics;
    Respond(connection, "200 OK", "Vary: Accept\r\n", open ? latest->openmetrics : latest->text, get, format);
    return 200;
  };
  mg_set_request_handler(state_->context, "**", answer, state_.get());
}

Result<void> MetricsServer::Check(const std::string& address, bool allow_remote) {
  const auto allowed = AllowedAddress(address, allow_remote);
  if (!allowed) return std::unexpected(allowed.error());
  return {};
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& address, bool allow_remote) {
  const auto parsed = AllowedAddress(address, allow_remote);
  if (!parsed) return std::unexpected(parsed.error());
  auto state = std::make_unique<State>();
  state->context = Listen(*parsed);
  if (state->context == nullptr) return Fail(WhyNot(address, *parsed));
  std::unique_ptr<MetricsServer> server(new MetricsServer(std::move(state)));
  mg_server_port port{};
  if (mg_get_server_ports(server->state_->context, 1, &port) == 1) server->port_ = port.port;
  server->state_->address = SocketAddress(*parsed);
  server->state_->address.sin_port = htons(static_cast<std::uint16_t>(server->port_));
  server->url_ = fmt::format("http://{}:{}/metrics", parsed->host, server->port_);
  return server;
}

MetricsServer::~MetricsServer() {
  // The accepting thread looks for the end every two seconds only, or when somebody knocks.
  const std::jthread knocking([address = state_->address](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      Knock(address);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  mg_stop(state_->context);
}

void MetricsServer::Publish(Exposition exposition) {
  auto shared = std::make_shared<const Exposition>(std::move(exposition));
  MutexLock lock(state_->mutex);
  state_->exposition = std::move(shared);
}

}  // namespace sluice::exporters
