#include "web/web_listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "sluice/base/clock.h"
#include "web/tcp_socket.h"

namespace sluice::exporters {
namespace {

constexpr const char* kWhat = "cannot serve metrics";
constexpr int kAcceptsInARow = 64;
constexpr int kNiceness = 10;
constexpr std::chrono::milliseconds kRest{100};
constexpr std::chrono::milliseconds kFarewell{500};

// No signal is for this thread, and what runs beside it comes first.
void StepBack() {
  pthread_setname_np(pthread_self(), "sluice-web");
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  setpriority(PRIO_PROCESS, 0, kNiceness);  // on Linux 0 is the calling thread
}

bool IsOver(const std::unique_ptr<WebClient>& client) {
  return client->state() == WebClient::State::kGone;
}

}  // namespace

Result<std::unique_ptr<WebListener>> WebListener::Start(const MetricsAddress& address, WebHandler handler,
                                                        const WebLimits& limits, TlsNow tls) {
  Result<Fd> socket = ListenOn(address, kWhat);
  if (!socket) return std::unexpected(socket.error());
  Fd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) return Fail(fmt::format("{}: {}", kWhat, std::strerror(errno)));
  return std::unique_ptr<WebListener>(
      new WebListener(std::move(*socket), std::move(stop), std::move(handler), limits, std::move(tls)));
}

WebListener::WebListener(Fd socket, Fd stop, WebHandler handler, const WebLimits& limits, TlsNow tls)
    : socket_(std::move(socket)),
      stop_(std::move(stop)),
      handler_(std::move(handler)),
      limits_(limits),
      tls_(std::move(tls)),
      port_(PortOf(socket_)),
      thread_([this] { Main(); }) {}

WebListener::~WebListener() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void WebListener::Main() {
  StepBack();
  while (!stopping_) {
    Wait();
    Serve();
    if (knocked_) Accept();
  }
  Leave();
}

// Whoever is being answered may take the rest of it, if that is soon.
void WebListener::Leave() {
  leaves_by_ = MonoNow() + Nanos(kFarewell);
  const auto is_through = [](const auto& client) { return client->state() != WebClient::State::kAnswering; };
  while (std::erase_if(clients_, is_through), !clients_.empty() && MonoNow() < *leaves_by_) {
    Wait();
    Serve();
  }
}

// Until somebody can be served, or has to go.
void WebListener::Wait() {
  const MonoTime now = MonoNow();
  const bool resting = now < rests_until_;
  std::vector<pollfd> fds = {{leaves_by_ ? -1 : stop_.get(), POLLIN, 0},
                             {leaves_by_ || resting ? -1 : socket_.get(), POLLIN, 0}};
  std::optional<MonoTime> until = leaves_by_;
  const auto no_later = [&](MonoTime at) { until = std::min(until.value_or(at), at); };
  if (resting) no_later(rests_until_);
  for (const auto& client : clients_) {
    fds.push_back({client->fd(), client->events(), 0});
    no_later(client->deadline());
  }
  const auto left = until ? std::chrono::ceil<std::chrono::milliseconds>(*until - now).count() : -1;
  poll(fds.data(), fds.size(), static_cast<int>(until ? std::max<long>(left, 0) : -1));
  stopping_ = stopping_ || fds[0].revents != 0;
  knocked_ = fds[1].revents != 0;
  ready_.assign(clients_.size(), false);
  for (std::size_t i = 0; i < clients_.size(); ++i) ready_[i] = fds[i + 2].revents != 0;
}

void WebListener::Serve() {
  const MonoTime now = MonoNow();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (ready_[i]) clients_[i]->Advance(handler_);
  }
  std::erase_if(clients_, [&](const auto& client) { return IsOver(client) || client->deadline() <= now; });
}

void WebListener::Accept() {
  for (int i = 0; i < kAcceptsInARow; ++i) {
    Fd socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      Admit(std::move(socket));
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) rests_until_ = MonoNow() + Nanos(kRest);
      return;
    }
  }
}

// What it asks is mostly there already: then it never takes a place.
void WebListener::Admit(Fd socket) {
  SslPtr session = tls_ ? tls_().Accept(socket.get()) : nullptr;
  if (tls_ && session == nullptr) return;
  auto client = std::make_unique<WebClient>(WebChannel(std::move(socket), std::move(session)),
                                            MonoNow() + limits_.patience, limits_.head);
  client->Advance(handler_);
  if (IsOver(client)) return;
  if (clients_.size() >= limits_.clients) MakeRoom();
  clients_.push_back(std::move(client));
}

// Those who have their answer go first, then those who do not ask.
void WebListener::MakeRoom() {
  using enum WebClient::State;
  for (const WebClient::State state : {kGone, kLeaving, kAsking, kAnswering}) {
    const auto found = std::ranges::find(clients_, state, [](const auto& client) { return client->state(); });
    if (found == clients_.end()) continue;
    clients_.erase(found);
    return;
  }
}

}  // namespace sluice::exporters
