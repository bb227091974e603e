#include "sluice/ui/strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sluice/base/limit_words.h"
#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

using internal::ChangesText;
using internal::GainText;
using internal::OpName;
using internal::RateText;
using internal::ShareText;

constexpr std::chrono::seconds kStaleAfter{3};
constexpr std::chrono::seconds kStalledAfter{10};
constexpr std::chrono::seconds kNobodyAsks{3};
constexpr Fraction kNoticeable{0.05};  // of the consumer's time
constexpr Fraction kMuch{0.20};

bool EverAsked(const ConsumerReading& consumer) {
  return consumer.items > 0 || consumer.starved > Nanos(0) || consumer.busy > Nanos(0);
}

StripState StateOfShare(Fraction starved) {
  if (starved < kNoticeable) return StripState::kKeepsUp;
  return starved < kMuch ? StripState::kWaitsAtTimes : StripState::kInputBound;
}

StripState StateOf(const Scene& scene) {
  const ConsumerReading& consumer = scene.now.consumer;
  const bool live = scene.watched == Watched::kLive;
  if (scene.watched == Watched::kEnded) return StripState::kEnded;
  if (live && scene.silent > kStaleAfter) return StripState::kStale;
  if (!scene.now.graph || scene.now.graph->ops.empty()) return StripState::kStarting;
  const bool waits = scene.consumer.starved && *scene.consumer.starved >= kMuch;
  if (live && waits && scene.without_items > kStalledAfter) return StripState::kStalled;
  if (!EverAsked(consumer))
    return SinceStart(scene) < kNobodyAsks ? StripState::kStarting : StripState::kNoConsumer;
  if (consumer.items == 0 && consumer.items_known) return StripState::kStarting;
  if (!scene.consumer.starved) return StripState::kNotEnoughData;
  if (scene.verdict.limit == Limit::kUnknown && *scene.consumer.starved >= kNoticeable)
    return StripState::kNotEnoughData;
  return StateOfShare(*scene.consumer.starved);
}

const char* WordOf(StripState state) {
  switch (state) {
    case StripState::kStarting:
      return "STARTING";
    case StripState::kNoConsumer:
      return "NO CONSUMER";
    case StripState::kStalled:
      return "STALLED";
    case StripState::kStale:
      return "STALE";
    case StripState::kNotEnoughData:
      return "NOT ENOUGH DATA";
    case StripState::kKeepsUp:
      return "KEEPS UP";
    case StripState::kWaitsAtTimes:
      return "WAITS AT TIMES";
    case StripState::kInputBound:
      return "INPUT-BOUND";
    case StripState::kEnded:
      return "ENDED";
  }
  return "";
}

const char* GlyphOf(StripState state) {
  switch (state) {
    case StripState::kStarting:
    case StripState::kNotEnoughData:
      return "\u2026";
    case StripState::kNoConsumer:
      return "\u25CB";
    case StripState::kStalled:
      return "\u26A0";
    case StripState::kStale:
      return "\u25CB";
    case StripState::kKeepsUp:
      return "\u2713";
    case StripState::kWaitsAtTimes:
      return "\u25B2";
    case StripState::kInputBound:
      return "\u26A0";
    case StripState::kEnded:
      return "\u25A0";
  }
  return "";
}

std::string Confidence(Fraction confidence) {
  return fmt::format("{} sure", FormatPercent(confidence));
}

std::string Capital(std::string sentence) {
  if (!sentence.empty())
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::string Judged(const Scene& scene) {
  const std::string waits =
      fmt::format("The consumer waits {} of its time", ShareText(scene.consumer.starved));
  const std::string p99 =
      scene.consumer.wait_p99 ? fmt::format(" (p99 {})", FormatDuration(*scene.consumer.wait_p99)) : "";
  const std::string& said = scene.verdict.sentence;
  return waits + p99 + "." + (said.empty() ? "" : " " + Capital(said) + ".");
}

std::string SentenceOf(StripState state, const Scene& scene) {
  switch (state) {
    case StripState::kStarting:
      return scene.now.graph ? "The pipeline has started; its first item is still on the way."
                             : "The process has not described its pipeline yet.";
    case StripState::kNoConsumer:
      return "Nothing takes items from the pipeline, so it stands full.";
    case StripState::kStalled:
      return fmt::format("The consumer waits, and no item has come for {}.",
                         FormatDuration(scene.without_items.value_or(Nanos(0))));
    case StripState::kStale:
      return fmt::format(
          "The process has shown no life for {}{}; the figures are the last ones that it gave.",
          FormatDuration(scene.silent.value_or(Nanos(0))), scene.lost.empty() ? "" : " (" + scene.lost + ")");
    case StripState::kNotEnoughData:
      return "Items flow, but too few have been seen to say what limits them.";
    case StripState::kEnded:
      return "The run is over. " +
             (scene.verdict.sentence.empty() ? "" : "Until then: " + scene.verdict.sentence);
    default:
      return Judged(scene);
  }
}

// The newest decision that is still being measured.
const DecisionSeen* OnTrial(const Scene& scene) {
  const auto& all = scene.decisions;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [](const DecisionSeen& seen) { return seen.fate == Fate::kTrial; });
  return found == all.rend() ? nullptr : &*found;
}

std::string Tried(const Scene& scene) {
  const DecisionSeen* trial = OnTrial(scene);
  if (trial == nullptr) return "";
  return fmt::format("On trial: {}, predicted {}.", ChangesText(trial->decision, scene.now.knobs),
                     GainText(trial->decision.before, trial->decision.predicted));
}

std::string NextOf(StripState state, const Scene& scene) {
  switch (state) {
    case StripState::kStarting:
      return "Wait for the first item; if none comes, look at what the source reads.";
    case StripState::kNoConsumer:
      return "Look whether the training loop has begun to iterate its loader.";
    case StripState::kStalled:
      return "Look at the op that is busy and finishes nothing: a read that hangs, or a worker that has "
             "died.";
    case StripState::kStale:
      return "Look whether the process is stopped (SIGSTOP, a debugger) or its machine is out of memory.";
    case StripState::kNotEnoughData:
      return "Wait some seconds; in a recorded run, go to a later moment.";
    case StripState::kEnded:
      return "Start it with --record FILE to be able to look back at all of it.";
    default:
      break;
  }
  std::string tried = Tried(scene);
  if (!tried.empty()) return tried;
  return state == StripState::kKeepsUp ? "Nothing to do: a faster pipeline would not make the run faster."
                                       : "";
}

std::vector<StripFigure> FiguresOf(const Scene& scene) {
  std::vector<StripFigure> figures{{"rows", RateText(scene.consumer.rows)},
                                   {"waiting", ShareText(scene.consumer.starved)}};
  if (scene.cores_used)
    figures.push_back({"cores", fmt::format("{:.3g} of {:.3g}", *scene.cores_used, scene.now.budget.cores)});
  if (scene.verdict.limit != Limit::kUnknown) {
    const std::string op = scene.verdict.op ? OpName(scene, *scene.verdict.op) : "";
    figures.push_back({"limit", LimitWords(scene.verdict.limit, op)});
    figures.push_back({"verdict", Confidence(scene.verdict.confidence)});
  }
  return figures;
}

}  // namespace

Strip MakeStrip(const Scene& scene) {
  const StripState state = StateOf(scene);
  return {.state = state,
          .word = WordOf(state),
          .glyph = GlyphOf(state),
          .sentence = SentenceOf(state, scene),
          .next = NextOf(state, scene),
          .figures = FiguresOf(scene)};
}

const char* StripStateName(StripState state) {
  switch (state) {
    case StripState::kStarting:
      return "starting";
    case StripState::kNoConsumer:
      return "no_consumer";
    case StripState::kStalled:
      return "stalled";
    case StripState::kStale:
      return "stale";
    case StripState::kNotEnoughData:
      return "not_enough_data";
    case StripState::kKeepsUp:
      return "keeps_up";
    case StripState::kWaitsAtTimes:
      return "waits_at_times";
    case StripState::kInputBound:
      return "input_bound";
    case StripState::kEnded:
      return "ended";
  }
  return "";
}

}  // namespace sluice::ui
