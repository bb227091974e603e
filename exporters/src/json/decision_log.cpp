#include "sluice/exporters/decision_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/base/placement.h"
#include "text/figures.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

Fate FirstFate(const Decision& decision) {
  if (decision.advice) return Fate::kAdvised;
  return decision.author == Author::kUser ? Fate::kKept : Fate::kTrial;
}

std::string_view KindName(KnobKind kind) {
  switch (kind) {
    case KnobKind::kWorkers:
      return "workers";
    case KnobKind::kCapacity:
      return "capacity";
    case KnobKind::kPlacement:
      return "placement";
  }
  return "knob";
}

}  // namespace

void DecisionLog::Add(const Decision& decision) {
  for (const Outcome& outcome : decision.outcomes) Apply(outcome);
  if (decision.id == 0 || Find(decision.id) != nullptr) return;
  entries_.push_back({decision, FirstFate(decision), std::nullopt});
}

void DecisionLog::Put(LoggedDecision entry) {
  if (LoggedDecision* known = Find(entry.decision.id)) {
    *known = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

void DecisionLog::Apply(const Outcome& outcome) {
  LoggedDecision* entry = Find(outcome.decision);
  if (entry == nullptr) return;
  entry->fate = outcome.fate;
  if (outcome.measured) entry->measured = outcome.measured;
}

const Decision* DecisionLog::OnTrial() const {
  if (entries_.empty() || entries_.back().fate != Fate::kTrial) return nullptr;
  const Decision& newest = entries_.back().decision;
  const bool undoes = std::ranges::any_of(
      newest.outcomes, [](const Outcome& outcome) { return outcome.fate == Fate::kRolledBack; });
  return undoes ? nullptr : &newest;
}

// Outcomes concern recent decisions.
LoggedDecision* DecisionLog::Find(std::uint64_t id) {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [id](const LoggedDecision& entry) { return entry.decision.id == id; });
  return found == entries_.rend() ? nullptr : &*found;
}

std::vector<const LoggedDecision*> DecisionNews::Take(const DecisionLog& log) {
  std::vector<const LoggedDecision*> news;
  const auto& entries = log.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Told now{entries[i].fate, entries[i].measured.has_value()};
    if (i >= told_.size()) {
      told_.push_back(now);
    } else if (std::exchange(told_[i], now) == now) {
      continue;
    }
    news.push_back(&entries[i]);
  }
  return news;
}

std::string_view FateName(Fate fate) {
  switch (fate) {
    case Fate::kTrial:
      return "trial";
    case Fate::kKept:
      return "kept";
    case Fate::kRolledBack:
      return "rolled back";
    case Fate::kAdvised:
      return "advised";
    case Fate::kRejected:
      return "rejected";
  }
  return "unknown";
}

std::string KnobName(KnobId id, const std::vector<Knob>& knobs) {
  const auto knob = std::ranges::find(knobs, id, &Knob::id);
  if (knob != knobs.end()) return knob->name;
  const auto* target = id.kind == KnobKind::kCapacity ? "connector" : "op";
  return fmt::format("{} {} {}", target, id.target, KindName(id.kind));
}

std::vector<NamedChange> NamedChanges(const std::vector<KnobChange>& changes,
                                      const std::vector<Knob>& knobs) {
  std::vector<NamedChange> named;
  named.reserve(changes.size());
  for (const KnobChange& change : changes) {
    named.push_back({KnobName(change.knob, knobs), change.from, change.to, change.knob.kind});
  }
  return named;
}

std::string ChangesText(const std::vector<NamedChange>& changes, const TextStyle& style) {
  if (changes.empty()) return "no change";
  std::string text;
  for (const NamedChange& change : changes) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {} {} {}", change.knob, KnobValueText(change.kind, change.from),
                        SignsFor(style).arrow, KnobValueText(change.kind, change.to));
  }
  return Printable(text, style.unicode);
}

std::optional<double> Gain(Rate before, std::optional<Rate> after) {
  if (!after || before.per_second <= 0) return std::nullopt;
  return after->per_second / before.per_second - 1;
}

std::string DecisionLine(const LoggedDecision& entry, MonoTime run_start, const std::vector<Knob>& knobs,
                         const TextStyle& style) {
  const Decision& decision = entry.decision;
  std::string line = fmt::format(
      "{}  {}  {}{}  predicted {}  measured {}", ElapsedText(decision.at - run_start),
      ChangesText(NamedChanges(decision.changes, knobs), style), FateName(entry.fate),
      decision.author == Author::kUser ? " (by the user)" : "",
      GainText(Gain(decision.before, decision.predicted)), GainText(Gain(decision.before, entry.measured)));
  if (!decision.because.empty()) line += "  because " + decision.because;
  return Printable(line, style.unicode);
}

}  // namespace sluice::exporters
