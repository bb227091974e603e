#include "steer/steering_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/exporters/control_server.h"

namespace sluice::app {
namespace {

using Json = nlohmann::json;
using ui::Ask;
using ui::KnobValue;

constexpr std::chrono::seconds kPatience{5};  // a run that its cgroup holds back needs seconds
constexpr int kLeaseSeconds = 60;             // after the last change, unless it is given back before
constexpr int kSaidFor = 8;                   // looks
constexpr std::size_t kMostUndone = 64;
constexpr const char* kNoRun =
    "Nobody can be asked to change this run: it has ended, was started with --no-control, or is not tuned by "
    "sluice run or sluice wrap.";

// "" and 0 where there is no such field, or one of another type.
std::string Text(const Json& json, const char* key) {
  const auto field = json.is_object() ? json.find(key) : json.end();
  return field != json.end() && field->is_string() ? field->get<std::string>() : "";
}
double Number(const Json& json, const char* key) {
  const auto field = json.is_object() ? json.find(key) : json.end();
  return field != json.end() && field->is_number() ? field->get<double>() : 0;
}
// Other numbers stand in no answer.
std::int64_t Whole(const Json& json, const char* key) {
  constexpr double kMost = 1e15;
  const double number = Number(json, key);
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}
const Json& Part(const Json& json, const char* key) {
  static const Json nothing;
  const auto field = json.is_object() ? json.find(key) : json.end();
  return field == json.end() ? nothing : *field;
}

Outlook OutlookIn(const Json& json) {
  return {Rate{Number(json, "items_per_second")}, Number(json, "cores"), Bytes{Whole(json, "bytes")}};
}

std::string LimitedBy(const Json& forecast) {
  const std::string limit = Text(forecast, "limit");
  std::string op = Text(forecast, "op");
  if (!op.empty()) return op;
  return limit == "cores" ? "the cores" : limit == "memory" ? "memory" : "";
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string SetJson(const std::vector<KnobValue>& values) {
  Json set = Json::object();
  for (const KnobValue& one : values) set[one.knob] = one.value;
  return Dump({{"set", set}});
}

// What the decision of an answer has changed: from or to what. Empty: nothing.
std::vector<KnobValue> ChangedIn(const Json& answer, const char* from_or_to) {
  std::vector<KnobValue> values;
  for (const Json& change : Part(Part(answer, "decision"), "changes"))
    values.push_back({Text(change, "knob"), Whole(change, from_or_to)});
  return values;
}

std::vector<ui::KnobBound> BoundsIn(const Json& answer) {
  std::vector<ui::KnobBound> found;
  for (const Json& knob : Part(answer, "knobs")) {
    const Json& bounds = Part(knob, "bounds");
    if (bounds.is_object())
      found.push_back({Text(knob, "name"), {Whole(bounds, "min"), Whole(bounds, "max")}});
  }
  return found;
}

std::string InWords(const std::vector<KnobValue>& values) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const KnobValue& one : values) words.push_back(fmt::format("{} is to be {}", one.knob, one.value));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

struct SteeringClient::Answer {
  int status = 0;     // 0: none came
  Json json{};        // an object
  std::string why{};  // not 200

  [[nodiscard]] bool good() const { return status == 200; }
};

ControlRoad RoadIn(const std::string& folder) {
  const auto sockets = [folder] {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().extension() == exporters::kControlSuffix) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  };
  return {sockets, [](const std::string& socket, const ControlCall& call) {
            return CallControl({.where = socket}, call, kPatience);
          }};
}

ControlRoad RoadTo(const ControlPeer& peer) {
  return {[peer] { return std::vector{peer.where}; },
          [peer](const std::string&, const ControlCall& call) { return CallControl(peer, call, kPatience); }};
}

void SteeringClient::Look() {
  if (!place_ && !Find()) return Lose(kNoRun);
  SLUICE_CHECK(place_);
  const Answer answer = Call({.method = "GET", .path = place_->pipeline});
  if (!answer.good()) return Lose(answer.why);
  if (Part(answer.json, "over") == true) return Lose(kNoRun);
  Note(answer);
  if (seen_.forecast && !seen_.forecast->refused.empty()) Forecast(seen_.forecast->knobs);
  if (++looks_ <= kSaidFor) return;
  seen_.said.clear();
  seen_.refused = false;
}

// The process that tunes a pipeline is another one than its own where that was wrapped.
bool SteeringClient::Find() {
  for (const std::string& socket : road_.sockets()) {
    const auto reply = road_.call(socket, {.method = "GET", .path = "/v1"});
    if (!reply || reply->status != 200) continue;
    const Json agent = Json::parse(reply->body, nullptr, false);
    for (const Json& pipeline : Part(agent, "pipelines")) {
      if (Text(pipeline, "name") != whom_.pipeline || Whole(pipeline, "pid") != whom_.pid) continue;
      place_ = Place{socket, fmt::format("/v1/pipelines/{}", Whole(pipeline, "pipeline"))};
      return true;
    }
  }
  return false;
}

SteeringClient::Answer SteeringClient::Call(const ControlCall& call) {
  SLUICE_CHECK(place_);
  const auto reply = road_.call(place_->socket, call);
  if (!reply) return {.why = reply.error().message};
  Answer answer{.status = reply->status, .json = Json::parse(reply->body, nullptr, false)};
  if (!answer.json.is_object())
    return {.why =
                place_->socket + ": the answer is no JSON object; another version of Sluice may run there"};
  if (answer.good()) return answer;
  answer.why = RefusalIn(*reply);
  return answer;
}

bool SteeringClient::TakeLease() {
  const Answer answer = Call(
      {.method = "POST", .path = "/v1/lease", .body = Dump({{"name", viewer_}, {"seconds", kLeaseSeconds}})});
  lease_ = Text(answer.json, "lease");
  if (answer.good() && !lease_.empty()) return true;
  if (answer.status == 423) seen_.holder = Text(answer.json, "holder");
  Refuse(answer.good() ? "the answer has no lease; another version of Sluice may run there" : answer.why);
  return false;
}

// A lease that has ended meanwhile is taken again.
SteeringClient::Answer SteeringClient::Change(const std::string& what, const std::string& body) {
  SLUICE_CHECK(place_);
  for (const bool again : {false, true}) {
    if (lease_.empty() && !TakeLease()) return {};
    Answer answer = Call({.method = "POST", .path = place_->pipeline + what, .lease = lease_, .body = body});
    if (answer.status == 423 && !again) {
      lease_.clear();
      continue;
    }
    if (!answer.good()) Refuse(answer.why);
    return answer;
  }
  return {};
}

void SteeringClient::Do(const ui::Wish& wish) {
  if (!place_ && !Find()) return Lose(kNoRun);
  switch (wish.ask) {
    case Ask::kForecast:
      return Forecast(wish.knobs);
    case Ask::kSet:
      return Set(wish);
    case Ask::kPin:
    case Ask::kUnpin:
      return Pin(wish);
    case Ask::kBound:
      return Bound(wish);
    case Ask::kHold:
    case Ask::kResume:
      return Hold(wish.ask == Ask::kHold);
    case Ask::kUndo:
      return Undo();
    case Ask::kRedo:
      return Redo();
  }
}

void SteeringClient::Forecast(std::vector<KnobValue> knobs) {
  SLUICE_CHECK(place_);
  const Answer answer = Call(
      {.method = "POST", .path = place_->pipeline + "/forecast", .lease = lease_, .body = SetJson(knobs)});
  ui::ForecastSeen seen{.knobs = std::move(knobs)};
  if (answer.good()) {
    seen.now = OutlookIn(Part(answer.json, "now"));
    seen.then = OutlookIn(Part(answer.json, "then"));
    seen.limited_by = LimitedBy(answer.json);
    seen.cores = Number(answer.json, "core_budget");
    if (const Bytes budget{Whole(answer.json, "memory_budget_bytes")}; budget.count > 0) seen.memory = budget;
  } else {
    seen.refused = answer.why;
  }
  seen_.forecast = std::move(seen);
}

void SteeringClient::Set(const ui::Wish& wish) {
  const Answer answer = Change("/knobs", SetJson(wish.knobs));
  if (!answer.good()) return;
  auto before = ChangedIn(answer.json, "from");
  if (before.empty()) return Say("it is set to that already");
  NoteMade(std::move(before));
  Say(InWords(ChangedIn(answer.json, "to")));
}

void SteeringClient::Undo() {
  const Answer answer = Change("/undo", "{}");
  if (!answer.good()) return;
  if (!made_.empty()) made_.pop_back();
  auto undone = ChangedIn(answer.json, "from");
  if (undone.empty()) return Say("somebody else has undone it already");
  undone_.push_back(std::move(undone));
  Say(InWords(ChangedIn(answer.json, "to")) + " again");
}

void SteeringClient::Redo() {
  if (undone_.empty()) return Refuse("there is nothing to do again");
  const Answer answer = Change("/knobs", SetJson(undone_.back()));
  if (!answer.good()) return;
  undone_.pop_back();
  made_.push_back(ChangedIn(answer.json, "from"));
  Say(InWords(ChangedIn(answer.json, "to")) + " again");
}

void SteeringClient::Pin(const ui::Wish& wish) {
  const bool pins = wish.ask == Ask::kPin;
  Json names = Json::array();
  for (const KnobValue& one : wish.knobs) names.push_back(one.knob);
  const Answer answer = Change(pins ? "/pin" : "/unpin", Dump({{"knobs", names}}));
  if (!answer.good()) return;
  Say(pins ? "it is pinned: the tuner leaves it alone" : "it is the tuner's again");
}

void SteeringClient::Bound(const ui::Wish& wish) {
  Json bounds = Json::object();
  for (const KnobValue& one : wish.knobs)
    bounds[one.knob] = wish.range ? Json{{"min", wish.range->min}, {"max", wish.range->max}} : Json();
  const Answer answer = Change("/bounds", Dump({{"bounds", bounds}}));
  if (!answer.good()) return;
  seen_.bounds = BoundsIn(answer.json);
  auto before = ChangedIn(answer.json, "from");
  if (!before.empty()) NoteMade(std::move(before));
  Say(wish.range ? fmt::format("the tuner keeps it from {} to {}", wish.range->min, wish.range->max)
                 : "the tuner may set it to whatever the run allows");
}

void SteeringClient::NoteMade(std::vector<KnobValue> before) {
  made_.push_back(std::move(before));
  if (made_.size() > kMostUndone) made_.erase(made_.begin());
  undone_.clear();
}

void SteeringClient::Hold(bool held) {
  const Answer answer = Change(held ? "/hold" : "/resume", "{}");
  if (!answer.good()) return;
  seen_.held_by = Text(answer.json, "held_by");
  Say(held ? "the tuner holds: it changes nothing any more" : "the tuner may go on");
}

void SteeringClient::Leave() {
  if (place_ && !lease_.empty()) (void)Call({.method = "DELETE", .path = "/v1/lease", .lease = lease_});
  lease_.clear();
}

void SteeringClient::Note(const Answer& answer) {
  seen_.open = true;
  seen_.closed.clear();
  seen_.tuning = Text(answer.json, "tuning");
  seen_.held_by = Text(answer.json, "held_by");
  seen_.bounds = BoundsIn(answer.json);
  seen_.undoes = !made_.empty();
  seen_.redoes = !undone_.empty();
  const std::string holder = Text(Part(answer.json, "lease"), "holder");
  if (holder != viewer_) lease_.clear();
  seen_.holder = lease_.empty() ? holder : "";
}

void SteeringClient::Say(std::string what) {
  looks_ = 0;
  seen_.said = std::move(what);
  seen_.refused = false;
  seen_.holder.clear();
  seen_.undoes = !made_.empty();
  seen_.redoes = !undone_.empty();
}

void SteeringClient::Refuse(std::string why) {
  looks_ = 0;
  seen_.said = std::move(why);
  seen_.refused = true;
}

// Whoever answers next may be at another place; the same one still knows the lease.
void SteeringClient::Lose(std::string why) {
  place_.reset();
  seen_ = {.open = false, .closed = std::move(why)};
}

}  // namespace sluice::app
