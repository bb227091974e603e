#include "view/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::ui::internal {
namespace {

std::string KnobName(KnobId id, const std::vector<Knob>& knobs) {
  const auto knob = std::ranges::find(knobs, id, &Knob::id);
  if (knob != knobs.end()) return knob->name;
  return fmt::format("{} {}", id.kind == KnobKind::kCapacity ? "connector" : "op", id.target);
}

}  // namespace

std::string RateText(const std::optional<Rate>& rate) {
  return rate ? FormatCount(rate->per_second) + "/s" : kUnknown;
}

std::string ShareText(const std::optional<Fraction>& share) {
  return share ? FormatPercent(*share) : kUnknown;
}

std::string TimeText(const std::optional<Nanos>& time) {
  return time ? FormatDuration(*time) : kUnknown;
}

std::string ChangesText(const Decision& decision, const std::vector<Knob>& knobs) {
  std::string text;
  for (const KnobChange& change : decision.changes) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {} \u2192 {}", KnobName(change.knob, knobs), change.from, change.to);
  }
  return text;
}

const char* FateText(Fate fate) {
  switch (fate) {
    case Fate::kTrial:
      return "on trial";
    case Fate::kKept:
      return "kept";
    case Fate::kRolledBack:
      return "rolled back";
    case Fate::kAdvised:
      return "advised";
    case Fate::kRejected:
      return "rejected";
  }
  return "";
}

std::string GainText(Rate before, const std::optional<Rate>& after) {
  if (!after || before.per_second <= 0) return kUnknown;
  return FormatGain(after->per_second / before.per_second - 1);
}

const char* EffectText(TakesEffect when) {
  switch (when) {
    case TakesEffect::kLive:
      return "at once";
    case TakesEffect::kNextEpoch:
      return "in the next epoch";
    case TakesEffect::kNextRun:
      return "in the next run";
  }
  return "";
}

const char* HolderText(const Knob& knob) {
  switch (knob.held) {
    case HeldBecause::kNot:
      return knob.holder == Holder::kAuto ? "the tuner" : "pinned by the user";
    case HeldBecause::kAdvise:
      return "held: nothing is to be touched";
    case HeldBecause::kRandomDraws:
      return "held: random draws would come out otherwise";
    case HeldBecause::kOrder:
      return "held: rows would come in another order";
    case HeldBecause::kUnknown:
      return "held: not known how to change it here";
    case HeldBecause::kWatching:
      return "held for now: still looking whether it changes a result";
    case HeldBecause::kWorkerId:
      return "held: rows depend on which worker fetches them";
    case HeldBecause::kFailed:
      return "held: a worker failed after a change";
    case HeldBecause::kUnfit:
      return "held: more workers would not do the same";
    case HeldBecause::kChanges:
      return "held: its data set changes meanwhile";
  }
  return "";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void AppendCharacter(std::string& text, unsigned int c) {
  const auto add = [&](unsigned int byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c >= 0x10000) add(0xF0 | c >> 18);
  if (c >= 0x10000) add(0x80 | (c >> 12 & 0x3F));
  if (c >= 0x800 && c < 0x10000) add(0xE0 | c >> 12);
  add(c < 0x800 ? 0xC0 | c >> 6 : 0x80 | (c >> 6 & 0x3F));
  add(0x80 | (c & 0x3F));
}

void EraseCharacter(std::string& text) {
  const auto inside = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  while (!text.empty() && inside(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

std::string OpName(const Scene& scene, std::size_t op) {
  const bool named = scene.now.graph && op < scene.now.graph->ops.size();
  return named ? scene.now.graph->ops[op].name : "";
}

}  // namespace sluice::ui::internal
