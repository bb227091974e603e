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
constexpr std::chrono::seconds kListEvery{5};    // pipelines come and go
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

// What GET /v1 lists; what is no entry is left out.
std::vector<RemoteRun::Listed> ListedIn(const std::string& agent) {
  const Json json = Json::parse(agent, nullptr, false);
  std::vector<RemoteRun::Listed> listed;
  if (!json.is_object() || !json.contains("pipelines")) return listed;
  for (const Json& each : json["pipelines"]) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string()) continue;
    if (!each.contains("pipeline") || !each["pipeline"].is_number_unsigned()) continue;
    const auto whole = [&](const char* key) {
      const bool has = each.contains(key) && each[key].is_number_integer();
      return has ? std::optional(each[key].get<int>()) : std::nullopt;
    };
    listed.push_back({.pipeline = each["pipeline"].get<std::size_t>(),
                      .name = each["name"].get<std::string>(),
                      .rank = whole("rank"),
                      .pid = whole("pid").value_or(0),
                      .over = each.value("over", Json(false)) == true});
  }
  return listed;
}

// The first that goes on and has this in its name.
Result<std::size_t> ChooseOf(const std::vector<RemoteRun::Listed>& listed, const std::string& where,
                             const std::string& loader) {
  std::vector<std::string> names;
  for (const RemoteRun::Listed& each : listed) {
    names.push_back(each.name);
    if (!each.over && each.name.contains(loader)) return each.pipeline;
  }
  if (names.empty()) return Fail(where + ": nothing is measured there yet; try again in some seconds");
  return Fail(fmt::format("{}: no pipeline that goes on has '{}' in its name; there are: {}", where, loader,
                          fmt::join(names, ", ")));
}

}  // namespace

Result<std::unique_ptr<RemoteRun>> RemoteRun::Open(const ControlPeer& peer, const std::string& loader) {
  const auto agent = Get(peer, "/v1");
  if (!agent) return std::unexpected(agent.error());
  const auto pipeline = ChooseOf(ListedIn(*agent), peer.where, loader);
  if (!pipeline) return std::unexpected(pipeline.error());
  return Open(peer, *pipeline);
}

Result<std::unique_ptr<RemoteRun>> RemoteRun::Open(const ControlPeer& peer, std::size_t pipeline) {
  const auto agent = Get(peer, "/v1");
  if (!agent) return std::unexpected(agent.error());
  const auto line = Get(peer, PathOf(pipeline, "snapshot"));
  if (!line) return std::unexpected(line.error());
  auto first = exporters::ReadSnapshotLine(*line);
  if (!first) return Fail(peer.where + ": " + first.error().message);
  return std::unique_ptr<RemoteRun>(new RemoteRun(peer, pipeline, std::move(*first), ListedIn(*agent)));
}

RemoteRun::RemoteRun(ControlPeer peer, std::size_t pipeline, exporters::SeenPipeline first,
                     std::vector<Listed> listed)
    : peer_(std::move(peer)),
      pipeline_(pipeline),
      first_(std::move(first)),
      heard_(MonoNow()),
      listed_(std::move(listed)),
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
    const auto listened = Listen();
    const MutexLock lock(mutex_);
    lost_ = listened ? "" : listened.error().message;
    if (!ending_ && !over_) changed_.WaitFor(mutex_, kAgain);
  }
}

Result<void> RemoteRun::Listen() {
  if (auto listed = List(); !listed) return listed;
  auto connection = ControlConnection::Open(peer_, MonoNow() + kPatience);
  if (!connection) return std::unexpected(connection.error());
  const ControlCall call{.method = "GET", .path = PathOf(pipeline_, "snapshots")};
  if (auto asked = connection->Ask(call, MonoNow() + kPatience); !asked) return asked;
  LineStream stream;
  MonoTime list_at = MonoNow() + kListEvery;
  while (!Ends()) {
    const auto part = connection->Receive(MonoNow() + kTurn);
    if (!part) return std::unexpected(part.error());
    const auto& bytes = *part;
    if (bytes && bytes->empty()) return Fail(peer_.where + " has closed the connection");
    if (MonoNow() >= list_at) {
      // A run that ends may refuse it, but ends the stream as well.
      static_cast<void>(List());
      list_at = MonoNow() + kListEvery;
    }
    if (!bytes) continue;
    const auto lines = stream.Take(*bytes);
    if (!lines) return Fail(peer_.where + ": " + lines.error().message);
    for (const std::string& line : *lines) Hear(line);
  }
  return {};
}

Result<void> RemoteRun::List() {
  const auto agent = Get(peer_, "/v1");
  if (!agent) return std::unexpected(agent.error());
  auto listed = ListedIn(*agent);
  const MutexLock lock(mutex_);
  listed_ = std::move(listed);
  return {};
}

// Notices are about the connection.
void RemoteRun::Hear(const std::string& line) {
  auto seen = exporters::ReadSnapshotLine(line);
  const bool ended = !seen && Json::parse(line, nullptr, false) == Json{{"notice", "ended"}};
  const MutexLock lock(mutex_);
  heard_ = MonoNow();
  lost_.clear();
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

std::string RemoteRun::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

std::vector<RemoteRun::Listed> RemoteRun::listed() const {
  const MutexLock lock(mutex_);
  return listed_;
}

}  // namespace sluice::app
