#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "json/pipeline_json.h"
#include "sluice/exporters/decision_log.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

using nlohmann::literals::operator""_json_pointer;

constexpr std::size_t kMostChanges = 64;
constexpr std::size_t kLongestRecord = 4096;  // more than any ring holds
constexpr std::int64_t kLastKind = static_cast<std::int64_t>(KnobKind::kPlacement);
constexpr std::int64_t kLastFate = static_cast<std::int64_t>(Fate::kRejected);

// Four significant digits are more than a gain needs, and short.
double Short(double value) {
  if (!std::isfinite(value) || value == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json ChangeJson(const KnobChange& change) {
  return Json::array({static_cast<int>(change.knob.kind), change.knob.target, change.from, change.to});
}

Json DecisionWithoutReason(const LoggedDecision& entry) {
  const Decision& decision = entry.decision;
  Json json = {{"id", decision.id},
               {"at_ns", decision.at.count()},
               {"author", static_cast<int>(decision.author)},
               {"fate", static_cast<int>(entry.fate)},
               {"before", Short(decision.before.per_second)},
               {"predicted", Short(decision.predicted.per_second)},
               {"changes", Json::array()}};
  if (entry.measured) json["measured"] = Short(entry.measured->per_second);
  for (const KnobChange& change : decision.changes) json["changes"].push_back(ChangeJson(change));
  return json;
}

std::optional<std::int64_t> Integer(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    return std::nullopt;
  }
  const auto value = json.get<std::int64_t>();
  return value < least || value > most ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> Field(const Json& json, const char* key, std::int64_t most) {
  const auto field = json.find(key);
  return field == json.end() ? std::nullopt : Integer(*field, 0, most);
}

std::optional<Rate> RateField(const Json& json, const char* key) {
  const auto field = json.find(key);
  if (field == json.end() || !field->is_number()) return std::nullopt;
  const double value = field->get<double>();
  return std::isfinite(value) ? std::optional(Rate{value}) : std::nullopt;
}

std::optional<KnobChange> ParseChange(const Json& json) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (!json.is_array() || json.size() != 4) return std::nullopt;
  const auto kind = Integer(json[0], 0, kLastKind);
  const auto target = Integer(json[1], 0, std::numeric_limits<std::uint32_t>::max());
  const auto from = Integer(json[2], -kMost, kMost);
  const auto to = Integer(json[3], -kMost, kMost);
  if (!kind || !target || !from || !to) return std::nullopt;
  return KnobChange{{static_cast<KnobKind>(*kind), static_cast<std::uint32_t>(*target)}, *from, *to};
}

Result<std::vector<KnobChange>> ParseChanges(const Json& json) {
  const auto list = json.find("changes");
  if (list == json.end() || !list->is_array() || list->size() > kMostChanges) {
    return Fail("decision record: 'changes' is missing or no short list");
  }
  std::vector<KnobChange> changes;
  for (const Json& item : *list) {
    const auto change = ParseChange(item);
    if (!change) return Fail("decision record: a change is not [kind, target, from, to]");
    changes.push_back(*change);
  }
  return changes;
}

// `json` with as much of `sentence` in `place`, a field of it, as fits.
std::string WithSentence(const Json& json, const Json::json_pointer& place, const std::string& sentence) {
  Json whole = json;
  for (std::size_t length = sentence.size(); length > 0;) {
    whole[place] = std::string(Prefix(sentence, length));
    std::string candidate = Dump(whole);
    if (candidate.size() <= kDecisionJsonBytes) return candidate;
    // Escapes make a character up to six bytes long, so the excess alone may not be enough.
    length -= std::min(length, std::max<std::size_t>(1, (candidate.size() - kDecisionJsonBytes) / 6));
  }
  return Dump(json);
}

}  // namespace

std::string DecisionJson(const LoggedDecision& entry) {
  Json json = DecisionWithoutReason(entry);
  while (json["changes"].size() > 1 && Dump(json).size() > kDecisionJsonBytes - 40) {
    json["changes"].erase(json["changes"].size() - 1);
  }
  return WithSentence(json, "/because"_json_pointer, ValidUtf8(entry.decision.because));
}

std::string VerdictRecordJson(const Verdict& verdict, const Snapshot& now) {
  Json said = VerdictJson(verdict, now);
  said["confidence_fraction"] = Short(verdict.confidence.value);
  said["sentence"] = "";
  return WithSentence({{"verdict", std::move(said)}}, "/verdict/sentence"_json_pointer,
                      ValidUtf8(verdict.sentence));
}

Result<LoggedDecision> ParseDecisionJson(std::string_view text) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (text.size() > kLongestRecord)
    return Fail(fmt::format("decision record: longer than {} bytes", kLongestRecord));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Fail("decision record: no JSON object");
  const auto id = Field(json, "id", kMost);
  const auto at = Field(json, "at_ns", kMost);
  const auto author = Field(json, "author", 1);
  const auto fate = Field(json, "fate", kLastFate);
  if (!id || *id == 0 || !at || !author || !fate) {
    return Fail("decision record: 'id', 'at_ns', 'author' or 'fate' is missing or out of range");
  }
  auto changes = ParseChanges(json);
  if (!changes) return std::unexpected(changes.error());
  LoggedDecision entry;
  entry.decision.id = static_cast<std::uint64_t>(*id);
  entry.decision.at = Nanos(*at);
  entry.decision.author = static_cast<Author>(*author);
  entry.decision.changes = std::move(*changes);
  entry.decision.before = RateField(json, "before").value_or(Rate{});
  entry.decision.predicted = RateField(json, "predicted").value_or(Rate{});
  entry.fate = static_cast<Fate>(*fate);
  entry.decision.advice = entry.fate == Fate::kAdvised;
  entry.measured = RateField(json, "measured");
  const auto because = json.find("because");
  if (because != json.end() && because->is_string()) entry.decision.because = because->get<std::string>();
  return entry;
}

std::optional<std::string> SentenceOfVerdict(std::string_view text) {
  if (text.size() > kLongestRecord) return std::nullopt;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("verdict")) return std::nullopt;
  const Json& verdict = json["verdict"];
  if (!verdict.is_object() || !verdict.contains("sentence") || !verdict["sentence"].is_string())
    return std::nullopt;
  return verdict["sentence"].get<std::string>();
}

}  // namespace sluice::exporters
