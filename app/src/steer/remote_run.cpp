#include "steer/remote_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "sluice/base/clock.h"
#include "steer/control_call.h"
#include "steer/line_stream.h"

namespace sluice::app {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::seconds kAgain{1};        // after a connection was lost
constexpr std::chrono::milliseconds kTurn{200};  // between two looks whether it is to end
constexpr std::size_t kMostWaiting = 64;         // a window that is not drawn takes nothing

std::string PathOf(std::size_t pipeline, const char* what) {
  return fmt::format("/v1/pipelines/{}/{}", pipeline, what);
}

Result<std::string> Get(const ControlPeer& peer, const std::string& path) {
  auto reply = CallControl(peer, {.method = "GET", .path = path}, kPatience);
  if (!reply) return std::unexpected(reply.error());
  if (reply->status != 200) return Fail(peer.where + ": " + RefusalIn(*reply));
  return std::move(reply->body);
}

// Of the list of GET /v1, the first that goes on and has this in its name.
Result<std::size_t> ChoosePipelineOf(const std::string& agent, const ControlPeer& peer,
                                     const std::string& loader) {
  const Json json = Json::parse(agent, nullptr, false);
  const Json none = Json::array();
  const Json& pipelines = json.is_object() && json.contains("pipelines") ? json["pipelines"] : none;
  std::vector<std::string> names;
  for (const Json& each : pipelines) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string()) continue;
    if (!each.contains("pipeline") || !each["pipeline"].is_number_unsigned()) continue;
    names.push_back(each["name"].get<std::string>());
    if (each.value("over", Json(false)) == true || names.back().find(loader) == std::string::npos) continue;
    return each["pipeline"].get<std::size_t>();
  }
  if (names.empty()) return Fail(peer.where + ": nothing is measured there yet; try again in some seconds");
  return Fail(fmt::format("{}: no pipeline that goes on has '{}' in its name; there are: {}", peer.where,
                          loader, fmt::join(names, ", ")));
}

}  // namespace

Result<std::unique_ptr<RemoteRun>> RemoteRun::Open(const ControlPeer& peer, const std::string& loader) {
  const auto agent = Get(peer, "/v1");
  if (!agent) return std::unexpected(agent.error());
  const auto pipeline = ChoosePipelineOf(*agent, peer, loader);
  if (!pipeline) return std::unexpected(pipeline.error());
  const auto line = Get(peer, PathOf(*pipeline, "snapshot"));
  if (!line) return std::unexpected(line.error());
  auto first = exporters::ReadSnapshotLine(*line);
  if (!first) return Fail(peer.where + ": " + first.error().message);
  return std::unique_ptr<RemoteRun>(new RemoteRun(peer, *pipeline, std::move(*first)));
}

RemoteRun::RemoteRun(ControlPeer peer, std::size_t pipeline, exporters::SeenPipeline first)
    : peer_(std::move(peer)),
      pipeline_(pipeline),
      first_(std::move(first)),
      heard_(MonoNow()),
      thread_([this] { Main(); }) {}

RemoteRun::~RemoteRun() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void RemoteRun::Main() {
  pthread_setname_np(pthread_self(), "sluice-listen");
  while (!Ends()) {
    Listen();
    const MutexLock lock(mutex_);
    if (!ending_ && !over_) changed_.WaitFor(mutex_, kAgain);
  }
}

void RemoteRun::Listen() {
  auto connection = ControlConnection::Open(peer_, MonoNow() + kPatience);
  if (!connection) return;
  if (!connection->Ask({.method = "GET", .path = PathOf(pipeline_, "snapshots")}, MonoNow() + kPatience))
    return;
  LineStream stream;
  while (!Ends()) {
    const auto part = connection->Receive(MonoNow() + kTurn);
    if (!part || (*part && (*part)->empty())) return;
    if (!*part) continue;
    const auto lines = stream.Take(**part);
    if (!lines) return;
    for (const std::string& line : *lines) Hear(line);
  }
}

// Notices are about the connection.
void RemoteRun::Hear(const std::string& line) {
  auto seen = exporters::ReadSnapshotLine(line);
  const bool ended = !seen && Json::parse(line, nullptr, false) == Json{{"notice", "ended"}};
  const MutexLock lock(mutex_);
  heard_ = MonoNow();
  // Another run may answer where this one did.
  const bool other = seen && (seen->pid != first_.pid || seen->run_start != first_.run_start);
  over_ = over_ || ended || other || (seen && seen->over);
  if (!seen || other || seen->now.graph->ops.size() != first_.now.graph->ops.size()) return;
  if (waiting_.size() >= kMostWaiting) waiting_.erase(waiting_.begin());
  waiting_.push_back(std::move(*seen));
}

bool RemoteRun::Ends() const {
  const MutexLock lock(mutex_);
  return ending_ || over_;
}

std::vector<exporters::SeenPipeline> RemoteRun::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(waiting_, {});
}

bool RemoteRun::over() const {
  const MutexLock lock(mutex_);
  return over_;
}

MonoTime RemoteRun::heard() const {
  const MutexLock lock(mutex_);
  return heard_;
}

}  // namespace sluice::app
