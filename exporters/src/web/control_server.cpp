#include "sluice/exporters/control_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "web/control_client.h"
#include "web/tcp_socket.h"

namespace sluice::exporters {
namespace {

using ClientState = ControlClient::State;

constexpr int kBacklog = 64;
constexpr int kNiceness = 10;
constexpr std::chrono::milliseconds kRest{100};
constexpr std::chrono::milliseconds kFarewell{100};
constexpr std::chrono::duration<int> kSilence{30};

// nullopt: longer than the kernel takes.
std::optional<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) return std::nullopt;
  std::ranges::copy(path, at.sun_path);
  return at;
}

// A connection that does not wait: whoever listens there is seen also where it is busy.
enum class Listener : std::uint8_t { kNone, kDead, kAlive };
Listener ListenerAt(const std::string& path) {
  const auto at = AddressOf(path);
  const Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!at || !fd.valid()) return Listener::kAlive;
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&*at), sizeof *at) == 0) return Listener::kAlive;
  return errno == ECONNREFUSED ? Listener::kDead : errno == ENOENT ? Listener::kNone : Listener::kAlive;
}

// It listens before it has its name, so that nobody takes it for a dead one.
Result<Fd> Listen(const std::string& path) {
  const std::string making = path + "~";
  const auto failed = [&](int error) {
    unlink(making.c_str());
    return Fail(fmt::format("cannot make the control socket {}: {}", path, std::strerror(error)));
  };
  const auto at = AddressOf(making);
  if (!at) return failed(ENAMETOOLONG);
  if (ListenerAt(path) == Listener::kAlive) return failed(EADDRINUSE);
  unlink(making.c_str());
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid() || bind(fd.get(), reinterpret_cast<const sockaddr*>(&*at), sizeof *at) != 0)
    return failed(errno);
  if (chmod(making.c_str(), 0600) != 0 || listen(fd.get(), kBacklog) != 0) return failed(errno);
  if (rename(making.c_str(), path.c_str()) != 0) return failed(errno);
  return fd;
}

bool IsOurs(const Fd& socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

// A viewer whose machine is gone says nothing, for ever.
void NoticeSilence(const Fd& socket) {
  const int yes = 1, seconds = kSilence.count(), milliseconds = 1000 * seconds;
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

// No signal is for this thread, and what runs beside it comes first.
void StepBack() {
  pthread_setname_np(pthread_self(), "sluice-steer");
  setpriority(PRIO_PROCESS, 0, kNiceness);  // on Linux 0 is the calling thread
}

// The new thread inherits the mask: no signal is ever delivered to it.
std::thread StartWithoutSignals(const std::function<void()>& work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

struct ControlServer::State {
  State(std::string at, std::string right, Fd listening, Fd at_door, Fd waking, const ControlLimits& most)
      : path(std::move(at)),
        token(std::move(right)),
        limits(most),
        socket(std::move(listening)),
        door(std::move(at_door)),
        wake(std::move(waking)),
        thread(StartWithoutSignals([this] { Main(); })) {}

  void Main();
  void Wait();
  void Serve();
  void Accept(const Fd& from);
  void Admit(Fd connection, bool at_door);
  [[nodiscard]] bool MadeRoom();
  void Advance(ControlClient& client, bool hung_up);
  void DeliverAnswers();
  void Deliver(ControlClient& client, const ControlAnswer& answer) const;
  void DropLate();
  void Forget();
  void Leave();
  [[nodiscard]] std::size_t Streams() const;

  const std::string path;
  const std::string token;  // that opens the door
  const ControlLimits limits;
  const Fd socket, door, wake;  // door: not valid where there is none

  // Of the thread.
  std::vector<std::unique_ptr<ControlClient>> clients;  // the oldest first
  std::vector<short> happened;                          // to these
  std::uint64_t last_id = 0;
  MonoTime rests_until{0};  // no descriptor is left to accept with
  bool knocked = false, knocked_at_door = false;
  std::optional<MonoTime> leaves_by;

  std::atomic<bool> has_mail = false, has_viewers = false;
  mutable Mutex mutex;
  ControlMail mail GUARDED_BY(mutex);
  std::vector<std::pair<std::uint64_t, ControlAnswer>> answers GUARDED_BY(mutex);
  std::map<std::size_t, std::string> lines GUARDED_BY(mutex);  // of each pipeline, the newest
  std::set<std::size_t> watched GUARDED_BY(mutex);
  bool stopping GUARDED_BY(mutex) = false;

  std::thread thread;  // the last: it uses the others
};

void ControlServer::State::Main() {
  StepBack();
  for (;;) {
    Wait();
    Serve();
    DeliverAnswers();
    if (knocked) Accept(socket);
    if (knocked_at_door) Accept(door);
    DropLate();
    Forget();
    const MutexLock lock(mutex);
    if (stopping) break;
  }
  Leave();
}

// Until there is something to do.
void ControlServer::State::Wait() {
  const MonoTime now = MonoNow();
  const bool resting = now < rests_until;
  const bool closed = resting || leaves_by;
  std::vector<pollfd> fds = {{wake.get(), POLLIN, 0},
                             {closed ? -1 : socket.get(), POLLIN, 0},
                             {closed ? -1 : door.get(), POLLIN, 0}};
  const std::size_t first = fds.size();
  std::optional<MonoTime> until = leaves_by;
  const auto no_later = [&](MonoTime at) { until = std::min(until.value_or(at), at); };
  if (resting) no_later(rests_until);
  for (const auto& client : clients) {
    fds.push_back({client->fd(), client->events(), 0});
    if (const auto deadline = client->deadline()) no_later(*deadline);
  }
  const auto left = until ? std::chrono::ceil<std::chrono::milliseconds>(*until - now).count() : -1;
  poll(fds.data(), fds.size(), static_cast<int>(until ? std::max<long>(left, 0) : -1));
  eventfd_t ignored = 0;
  if (fds[0].revents != 0) eventfd_read(wake.get(), &ignored);
  knocked = fds[1].revents != 0;
  knocked_at_door = fds[2].revents != 0;
  happened.clear();
  for (std::size_t i = first; i < fds.size(); ++i) happened.push_back(fds[i].revents);
}

void ControlServer::State::Serve() {
  for (std::size_t i = 0; i < happened.size(); ++i) {
    if (happened[i] != 0) Advance(*clients[i], (happened[i] & (POLLHUP | POLLERR)) != 0);
  }
}

void ControlServer::State::Advance(ControlClient& client, bool hung_up) {
  auto request = client.Advance(hung_up);
  if (!request) return;
  const MutexLock lock(mutex);
  if (mail.requests.size() >= limits.clients) return client.Refuse(503, "too many ask at once; try again");
  mail.requests.push_back(std::move(*request));
  has_mail = true;
}

void ControlServer::State::DeliverAnswers() {
  std::vector<std::pair<std::uint64_t, ControlAnswer>> given;
  std::map<std::size_t, std::string> told;
  {
    const MutexLock lock(mutex);
    given.swap(answers);
    told.swap(lines);
  }
  for (const auto& [id, answer] : given) {
    const auto client = std::ranges::find(clients, id, [](const auto& c) { return c->id(); });
    if (client != clients.end() && (*client)->state() == ClientState::kWaiting) Deliver(**client, answer);
  }
  for (const auto& client : clients) {
    const auto line = told.find(client->pipeline());
    if (client->state() == ClientState::kStreaming && line != told.end()) client->Tell(line->second);
  }
}

void ControlServer::State::Deliver(ControlClient& client, const ControlAnswer& answer) const {
  if (!answer.stream) return client.Answer(answer);
  if (Streams() >= limits.streams) return client.Refuse(503, "too many watch already; end another stream");
  client.Stream(*answer.stream);
}

std::size_t ControlServer::State::Streams() const {
  return static_cast<std::size_t>(std::ranges::count(clients, ClientState::kStreaming,
                                                     [](const auto& client) { return client->state(); }));
}

void ControlServer::State::Accept(const Fd& from) {
  for (;;) {
    Fd connection(accept4(from.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid()) {
      Admit(std::move(connection), &from == &door);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) rests_until = MonoNow() + Nanos(kRest);
      return;
    }
  }
}

void ControlServer::State::Admit(Fd connection, bool at_door) {
  const bool ours = at_door || IsOurs(connection);
  if (at_door) NoticeSilence(connection);
  auto client = std::make_unique<ControlClient>(std::move(connection), ++last_id, MonoNow() + limits.patience,
                                                limits, at_door ? token : "");
  if (!ours) {
    client->Refuse(403, "this run belongs to another user; sudo -u changes the user");
  } else if (clients.size() >= limits.clients && !MadeRoom()) {
    client->Refuse(503, "too many ask at once; try again");
  } else {
    Advance(*client, false);
  }
  // Who may not stay has had what could be written at once.
  if (clients.size() < limits.clients) clients.push_back(std::move(client));
}

// In place of one that has its answer, or does not ask.
bool ControlServer::State::MadeRoom() {
  for (const ClientState state : {ClientState::kLeaving, ClientState::kAsking}) {
    const auto found = std::ranges::find(clients, state, [](const auto& client) { return client->state(); });
    if (found == clients.end()) continue;
    clients.erase(found);
    return true;
  }
  return false;
}

void ControlServer::State::DropLate() {
  const MonoTime now = MonoNow();
  const auto is_late = [&](const auto& client) { return client->deadline().value_or(now + Nanos(1)) <= now; };
  for (const auto& client : clients) {
    if (client->state() == ClientState::kWaiting && is_late(client))
      client->Refuse(503, "the run did not answer in time; try again");
  }
  std::erase_if(clients, [&](const auto& client) {
    return client->state() != ClientState::kStreaming && is_late(client);
  });
}

void ControlServer::State::Forget() {
  std::vector<std::string> ended;
  std::erase_if(clients, [&](const auto& client) {
    const bool gone = client->state() == ClientState::kGone;
    if (gone && !client->held_lease().empty()) ended.push_back(client->held_lease());
    return gone;
  });
  std::set<std::size_t> viewed;
  for (const auto& client : clients) {
    if (client->state() == ClientState::kStreaming) viewed.insert(client->pipeline());
  }
  const MutexLock lock(mutex);
  has_viewers = !viewed.empty();
  watched = std::move(viewed);
  if (ended.empty()) return;
  std::ranges::move(ended, std::back_inserter(mail.ended));
  has_mail = true;
}

// Whoever has asked is told, and may take it, if that is soon.
void ControlServer::State::Leave() {
  leaves_by = MonoNow() + Nanos(kFarewell);
  for (const auto& client : clients) {
    if (client->state() == ClientState::kWaiting) client->Refuse(503, "the run has ended");
    if (client->state() == ClientState::kStreaming) client->EndStream();
  }
  const auto is_through = [](const auto& client) { return client->state() != ClientState::kAnswering; };
  while (std::erase_if(clients, is_through), !clients.empty() && MonoNow() < *leaves_by) {
    Wait();
    Serve();
  }
}

ControlServer::ControlServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

ControlServer::~ControlServer() {
  unlink(state_->path.c_str());
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
  }
  eventfd_write(state_->wake.get(), 1);
  state_->thread.join();
}

Result<std::unique_ptr<ControlServer>> ControlServer::Start(const std::string& path,
                                                            const std::optional<ControlDoor>& door,
                                                            const ControlLimits& limits) {
  Fd listening;
  if (door) {
    const auto address = ParseMetricsAddress(door->address, "control");
    if (!address) return std::unexpected(address.error());
    auto opened = ListenOn(*address, "cannot answer");
    if (!opened) return std::unexpected(opened.error());
    listening = std::move(*opened);
  }
  Fd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return Fail(fmt::format("cannot make the control socket: {}", std::strerror(errno)));
  auto socket = Listen(path);
  if (!socket) return std::unexpected(socket.error());
  auto state = std::make_unique<State>(path, door ? door->token : "", std::move(*socket),
                                       std::move(listening), std::move(wake), limits);
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(state)));
}

std::uint16_t ControlServer::port() const {
  return state_->door.valid() ? PortOf(state_->door) : 0;
}

const std::string& ControlServer::path() const {
  return state_->path;
}

ControlMail ControlServer::Take() {
  if (!state_->has_mail.load(std::memory_order_relaxed)) return {};
  const MutexLock lock(state_->mutex);
  state_->has_mail = false;
  return std::exchange(state_->mail, {});
}

void ControlServer::Answer(std::uint64_t request, ControlAnswer answer) {
  {
    const MutexLock lock(state_->mutex);
    state_->answers.emplace_back(request, std::move(answer));
  }
  eventfd_write(state_->wake.get(), 1);
}

std::set<std::size_t> ControlServer::Watched() const {
  if (!state_->has_viewers.load(std::memory_order_relaxed)) return {};
  const MutexLock lock(state_->mutex);
  return state_->watched;
}

void ControlServer::Tell(std::size_t number, std::string line) {
  {
    const MutexLock lock(state_->mutex);
    state_->lines[number] = std::move(line);
  }
  eventfd_write(state_->wake.get(), 1);
}

void RemoveDeadControlSockets(const std::string& folder) {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    if (file.path().extension() == kControlSuffix && file.is_socket(error) &&
        ListenerAt(file.path()) == Listener::kDead)
      unlink(file.path().c_str());
  }
}

}  // namespace sluice::exporters
