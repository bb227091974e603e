#include "control/steering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "result/results.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/snapshot_line.h"
#include "version.h"

namespace sluice::app {
namespace {

using exporters::ControlAnswer;
using exporters::ControlRequest;

constexpr std::uint64_t kIds = std::uint64_t{1} << 33;  // those of the tuner and of whole epochs are below
constexpr std::size_t kMostUndone = 64;
constexpr std::chrono::seconds kWindow{1};
constexpr std::size_t kStreams = 2, kSnapshots = 1;  // of each pipeline: /stream, /snapshots
constexpr std::size_t kDecisionsInLine = 16;
constexpr std::string_view kPipelines = "/v1/pipelines/";

ControlAnswer Refused(const Refusal& refusal) {
  return {.status = refusal.status, .json = exporters::RefusalJson(refusal.why), .stream = {}};
}

ControlAnswer Told(std::string json) {
  return {.status = 200, .json = std::move(json), .stream = {}};
}

ControlAnswer WrongMethod(const ControlRequest& request, std::string_view right) {
  return Refused({405, fmt::format("{} does not do {}; use {}", request.path, request.method, right)});
}

// Empty where the kernel has no random bytes, which happens while it starts.
std::string NewToken() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string InWords(const std::vector<KnobChange>& changes, const std::vector<Knob>& knobs) {
  return exporters::ChangesText(exporters::NamedChanges(changes, knobs), {});
}

std::string Names(const std::vector<KnobId>& ids, const std::vector<Knob>& knobs) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const KnobId id : ids) names.push_back(exporters::KnobName(id, knobs));
  return fmt::format("{}", fmt::join(names, ", "));
}

Knob* Find(std::vector<Knob>& knobs, KnobId id) {
  const auto found = std::ranges::find(knobs, id, &Knob::id);
  return found == knobs.end() ? nullptr : &*found;
}

// Who is told a range is told as well why it is so small.
Refusal WithBounds(Refusal refusal, const KnobBounds& bounds) {
  if (refusal.status == 422 && !bounds.all().empty()) refusal.why += "; POST bounds gives other bounds";
  return refusal;
}

// As they will be when they are asked for.
void Foresee(std::vector<Knob>& knobs, const std::vector<KnobChange>& changes) {
  for (const KnobChange& change : changes) Find(knobs, change.knob)->requested = change.to;
}

// Where a value is set again that somebody has ruled out since: the nearest one that may be.
std::int64_t Within(const KnobBounds& bounds, const Knob& knob, std::int64_t value) {
  const Knob narrowed = bounds.Narrowed({knob})[0];
  return std::clamp(value, narrowed.min, narrowed.max);
}

}  // namespace

// As of now, with what was asked for a moment ago.
struct Steering::View {
  [[nodiscard]] exporters::ControlledPipeline Told() const {
    const Agent& agent = *seat->pipeline.agent;
    return {.name = name,
            .tuning = tuning,
            .held_by = seat->held_by,
            .lease = lease,
            .bounds = seat->pipeline.bounds->all(),
            .run_start = seat->pipeline.run_start,
            .from = &agent.Before(kWindow),
            .to = &now,
            .verdict = &agent.verdict(),
            .decisions = &agent.decisions()};
  }

  const Seat* seat = nullptr;
  exporters::ControlledName name;
  std::string tuning;
  std::optional<exporters::LeaseHolder> lease;
  Snapshot now;
};

Result<std::unique_ptr<Steering>> Steering::Open(const std::string& folder,
                                                 const std::optional<exporters::ControlDoor>& door,
                                                 const exporters::ControlledAgent& who, TuneMode mode) {
  exporters::RemoveDeadControlSockets(folder);
  auto server = exporters::ControlServer::Start(
      fmt::format("{}/{}{}", folder, getpid(), exporters::kControlSuffix), door);
  if (!server && door) return std::unexpected(server.error());
  if (!server) {
    Warn(server.error().message + "; the run goes on without it");
    return nullptr;
  }
  auto steering = std::make_unique<Steering>(who, mode);
  steering->who_.version = kVersion;
  steering->who_.pid = getpid();
  steering->server_ = std::move(*server);
  if (door) steering->door_ = door->address;
  return steering;
}

void Steering::Announce() const {
  if (server_ == nullptr || !door_) return;
  std::fprintf(stderr, "sluice: watch and steer this run with sluice ui %s:%u --token-file FILE\n",
               door_->substr(0, door_->rfind(':')).c_str(), server_->port());
}

void Steering::Serve() {
  const exporters::ControlMail mail = server_->Take();
  for (const std::string& lease : mail.ended) EndLease(lease);
  for (const ControlRequest& request : mail.requests) server_->Answer(request.id, Handle(request, MonoNow()));
}

void Steering::Tell() {
  for (const std::size_t number : server_->Watched()) {
    if (number / kStreams >= seats_.size()) continue;
    const View view = Look(seats_[number / kStreams], MonoNow());
    server_->Tell(number, number % kStreams == kSnapshots
                              ? exporters::SnapshotLine(view.Told(), kDecisionsInLine)
                              : exporters::ControlledPipelineLine(view.Told()));
  }
}

ControlAnswer Steering::Handle(const ControlRequest& request, MonoTime now) {
  const std::string& path = request.path;
  if (path == "/v1/lease") return AnswerLease(request, now);
  if (path.starts_with(kPipelines))
    return AnswerPipeline(std::string_view(path).substr(kPipelines.size()), request, now);
  const bool known = path == "/" || path == "/v1" || path == "/v1/";
  if (known && request.method != "GET") return WrongMethod(request, "GET");
  if (path == "/") return Told(exporters::VersionsJson());
  if (known) {
    exporters::ControlledAgent agent = who_;
    agent.lease = lease_.HolderAt(now);
    for (const Seat& seat : seats_) agent.pipelines.push_back(NameOf(seat));
    return Told(exporters::ControlledAgentJson(agent));
  }
  if (!path.starts_with("/v1/")) return {.status = 404, .json = exporters::OtherVersionJson(), .stream = {}};
  return Refused({404, "there is no such path; docs/control-api.md lists them, GET /v1 the pipelines"});
}

ControlAnswer Steering::AnswerLease(const ControlRequest& request, MonoTime now) {
  const bool held = lease_.IsHeldBy(request.lease, now);
  if (request.method == "DELETE") {
    if (!held) return Locked(now);
    EndLease(request.lease);
    return Told("{}\n");
  }
  if (request.method != "POST") return WrongMethod(request, "POST or DELETE");
  if (!held && lease_.HolderAt(now)) return Locked(now);
  auto asked = ReadLease(request.body);
  if (!asked) return Refused(asked.error());
  const std::string token = held ? request.lease : NewToken();
  if (token.empty()) return Refused({503, "there are no random numbers yet; try again"});
  lease_.Grant(token, std::move(asked->name), asked->length, now);
  const auto holder = lease_.HolderAt(now);
  SLUICE_CHECK(holder);
  return Told(exporters::GrantedLeaseJson(token, *holder));
}

ControlAnswer Steering::AnswerPipeline(std::string_view rest, const ControlRequest& request, MonoTime now) {
  constexpr std::pair<std::string_view, Handler> kActions[] = {
      {"/knobs", &Steering::Set},    {"/pin", &Steering::Pin},          {"/unpin", &Steering::Unpin},
      {"/hold", &Steering::Hold},    {"/resume", &Steering::Resume},    {"/undo", &Steering::Undo},
      {"/bounds", &Steering::Bound}, {"/forecast", &Steering::Foretell}};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number >= seats_.size())
    return Refused({404, fmt::format("there is no such pipeline; there are {}, from 0 (GET /v1 lists them)",
                                     seats_.size())});
  Seat& seat = seats_[number];
  const std::string_view what(end, rest.data() + rest.size());
  const bool streams = what == "/stream" || what == "/snapshots";
  const bool views = what.empty() || what == "/snapshot" || streams;
  const auto* const action = std::ranges::find(kActions, what, &std::pair<std::string_view, Handler>::first);
  if (!views && action == std::end(kActions))
    return Refused({404, "there is no such path; docs/control-api.md lists them"});
  const std::string_view right = views ? "GET" : "POST";
  if (request.method != right) return WrongMethod(request, right);
  if (streams)
    return {.status = 200, .json = {}, .stream = kStreams * number + (what == "/stream" ? 0 : kSnapshots)};
  if (what == "/snapshot")
    return Told(exporters::SnapshotLine(Look(seat, now).Told(), exporters::kAllDecisions));
  if (views) return Told(exporters::ControlledPipelineJson(Look(seat, now).Told()));
  const bool only_asks = what == "/forecast";
  if (!only_asks && !lease_.IsHeldBy(request.lease, now)) return Locked(now);
  if (lease_.IsHeldBy(request.lease, now)) lease_.Renew(now);
  if (seat.pipeline.over()) return Refused({409, "this pipeline has ended; GET /v1 lists those that go on"});
  return (this->*action->second)(seat, request, now);
}

ControlAnswer Steering::Foretell(Seat& seat, const ControlRequest& request, MonoTime now) {
  const auto asked = ReadForecast(request.body, seat.pipeline.knobs());
  if (!asked) return Refused(asked.error());
  const auto forecast = seat.pipeline.agent->Foresee(*asked);
  if (!forecast)
    return Refused({409, "too little has been measured for a forecast yet; ask again in some seconds"});
  return Told(exporters::ForecastJson(*forecast, Look(seat, now).now));
}

ControlAnswer Steering::Set(Seat& seat, const ControlRequest& request, MonoTime now) {
  const std::vector<Knob> knobs = seat.pipeline.bounds->Narrowed(seat.pipeline.knobs());
  auto asked = ReadChange(request.body, knobs);
  if (!asked) return Refused(WithBounds(asked.error(), *seat.pipeline.bounds));
  for (const KnobId pin : asked->pins) seat.pipeline.set_holder(pin, Holder::kUser);
  std::uint64_t decision = 0;
  if (asked->changes.empty() && !asked->pins.empty())
    Decide(seat, {}, fmt::format("{} pins {}", Author(now), Names(asked->pins, knobs)));
  if (!asked->changes.empty()) {
    std::string because = fmt::format("{} sets {}", Author(now), InWords(asked->changes, knobs));
    if (!asked->because.empty()) because += ": " + asked->because;
    decision = Change(seat, asked->changes, std::move(because), now);
  }
  View view = Look(seat, now);
  Foresee(view.now.knobs, asked->changes);
  for (const KnobId pin : asked->pins) Find(view.now.knobs, pin)->holder = Holder::kUser;
  return Told(exporters::ChangedJson(view.Told(), decision));
}

// What lies outside is brought inside by the same request.
ControlAnswer Steering::Bound(Seat& seat, const ControlRequest& request, MonoTime now) {
  const std::vector<Knob>& knobs = seat.pipeline.knobs();
  const auto asked = ReadBounds(request.body, knobs);
  if (!asked) return Refused(asked.error());
  std::vector<std::string> words;
  for (const KnobId knob : asked->lifted) {
    seat.pipeline.bounds->Lift(knob);
    words.push_back(exporters::KnobName(knob, knobs) + " to its own range");
  }
  for (const exporters::KnobBound& bound : asked->bounds) {
    seat.pipeline.bounds->Set(bound);
    words.push_back(
        fmt::format("{} to {}..{}", exporters::KnobName(bound.knob, knobs), bound.min, bound.max));
  }
  std::string because = fmt::format("{} bounds {}", Author(now), fmt::join(words, ", "));
  const std::uint64_t decision = asked->changes.empty()
                                     ? Decide(seat, {}, std::move(because))
                                     : Change(seat, asked->changes, std::move(because), now);
  View view = Look(seat, now);
  Foresee(view.now.knobs, asked->changes);
  return Told(exporters::ChangedJson(view.Told(), decision));
}

ControlAnswer Steering::Undo(Seat& seat, const ControlRequest& request, MonoTime now) {
  if (const auto asked = ReadNothing(request.body); !asked) return Refused(asked.error());
  const std::string by = HolderName(now);
  const auto last = std::ranges::find(seat.made.rbegin(), seat.made.rend(), by, &Made::by);
  if (last == seat.made.rend()) return Refused({409, fmt::format("{} has made no change here to undo", by)});
  View view = Look(seat, now);
  std::vector<KnobChange> back;
  for (const KnobChange& change : last->changes) {
    Knob* knob = Find(view.now.knobs, change.knob);
    const std::int64_t to = knob == nullptr ? 0 : Within(*seat.pipeline.bounds, *knob, change.from);
    if (knob == nullptr || knob->requested == to) continue;
    back.push_back({change.knob, knob->requested, to});
    knob->requested = to;
  }
  std::uint64_t decision = 0;
  if (!back.empty()) {
    decision = Decide(
        seat, back,
        fmt::format("{} undoes decision {}: {}", Author(now), last->id, InWords(back, view.now.knobs)));
  }
  seat.made.erase(std::next(last).base());
  return Told(exporters::ChangedJson(view.Told(), decision));
}

ControlAnswer Steering::SetHolders(Seat& seat, const ControlRequest& request, Holder holder, MonoTime now) {
  const auto asked = ReadKnobNames(request.body, seat.pipeline.knobs());
  if (!asked) return Refused(asked.error());
  Decide(seat, {},
         fmt::format("{} {} {}", Author(now), holder == Holder::kUser ? "pins" : "unpins",
                     Names(*asked, seat.pipeline.knobs())));
  View view = Look(seat, now);
  for (const KnobId id : *asked) {
    seat.pipeline.set_holder(id, holder);
    Knob* knob = Find(view.now.knobs, id);
    if (knob->held == HeldBecause::kNot) knob->holder = holder;
  }
  return Told(exporters::KnobsJson(view.Told()));
}

ControlAnswer Steering::Pin(Seat& seat, const ControlRequest& request, MonoTime now) {
  return SetHolders(seat, request, Holder::kUser, now);
}

ControlAnswer Steering::Unpin(Seat& seat, const ControlRequest& request, MonoTime now) {
  return SetHolders(seat, request, Holder::kAuto, now);
}

ControlAnswer Steering::SetHeld(Seat& seat, const ControlRequest& request, std::string by, MonoTime now) {
  if (const auto asked = ReadNothing(request.body); !asked) return Refused(asked.error());
  Decide(seat, {},
         fmt::format("{} {}", Author(now), by.empty() ? "lets the tuner go on" : "holds the tuner"));
  seat.held_by = std::move(by);
  seat.pipeline.agent->Hold(!seat.held_by.empty());
  return Told(exporters::KnobsJson(Look(seat, now).Told()));
}

ControlAnswer Steering::Hold(Seat& seat, const ControlRequest& request, MonoTime now) {
  return SetHeld(seat, request, HolderName(now), now);
}

ControlAnswer Steering::Resume(Seat& seat, const ControlRequest& request, MonoTime now) {
  return SetHeld(seat, request, {}, now);
}

std::uint64_t Steering::Change(Seat& seat, std::vector<KnobChange> changes, std::string because,
                               MonoTime now) {
  const std::uint64_t decision = Decide(seat, changes, std::move(because));
  seat.made.push_back({decision, HolderName(now), std::move(changes)});
  if (seat.made.size() > kMostUndone) seat.made.pop_front();
  return decision;
}

std::uint64_t Steering::Decide(Seat& seat, std::vector<KnobChange> changes, std::string because) {
  Decision decision;
  decision.id = kIds + ++made_;
  decision.at = seat.pipeline.agent->now().at;
  decision.author = Author::kUser;
  decision.changes = std::move(changes);
  decision.because = std::move(because);
  seat.pipeline.agent->Adopt(decision);
  return decision.id;
}

Steering::View Steering::Look(const Seat& seat, MonoTime now) const {
  View view{.seat = &seat,
            .name = NameOf(seat),
            .tuning = ModeText(mode_),
            .lease = lease_.HolderAt(now),
            .now = seat.pipeline.agent->now()};
  view.now.knobs = seat.pipeline.knobs();
  return view;
}

exporters::ControlledName Steering::NameOf(const Seat& seat) const {
  return {.number = static_cast<std::size_t>(&seat - seats_.data()),
          .name = seat.pipeline.name,
          .rank = seat.pipeline.rank,
          .pid = seat.pipeline.pid,
          .over = seat.pipeline.over()};
}

ControlAnswer Steering::Locked(MonoTime now) const {
  const auto holder = lease_.HolderAt(now);
  const std::string why =
      holder ? fmt::format("{} holds the lease; ask again when it is given back or has ended", holder->name)
             : "take the lease first: POST /v1/lease, then send its \"lease\" in the header Sluice-Lease";
  return {.status = 423, .json = exporters::RefusalJson(why, holder), .stream = {}};
}

std::string Steering::HolderName(MonoTime now) const {
  const auto holder = lease_.HolderAt(now);
  SLUICE_CHECK(holder);
  return holder->name;
}

std::string Steering::Author(MonoTime now) const {
  return HolderName(now) + " (control socket)";
}

}  // namespace sluice::app
