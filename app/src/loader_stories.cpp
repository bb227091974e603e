#include "loader_stories.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

constexpr double kHeldUp = 0.05;       // share of its time that the slowest rank waits more than another
constexpr std::uint64_t kEnough = 20;  // batches; fewer say nothing of a rate
constexpr double kApart = 0.05;        // ranks whose rates differ by less run in step

std::string Who(const LoaderStory& loader) {
  return loader.rank ? fmt::format("rank {}: {}", *loader.rank, loader.program) : loader.program;
}

// With the process where another one has a loader of the same name.
std::string WhoAmong(const std::vector<LoaderStory>& loaders, const LoaderStory& loader) {
  const bool twice = std::ranges::any_of(loaders, [&](const LoaderStory& other) {
    return other.pid != loader.pid && Who(other) == Who(loader);
  });
  return twice ? fmt::format("{}, process {}", Who(loader), loader.pid) : Who(loader);
}

std::string Percent(Fraction share) {
  return fmt::format("{:.{}f}%", 100 * share.value, share.value < 0.0995 ? 1 : 0);
}

std::string Batches(Rate rate) {
  return fmt::format("{:.3g}", rate.per_second);
}

// "first -> last", or one of them where there is no other or it is the same.
std::string Change(const std::string& first, const std::string& last) {
  if (first.empty() || first == last) return last;
  return last.empty() ? first : first + " -> " + last;
}

// While the loop asks for batches: not in what a training run does between two epochs.
double ActiveRate(const std::optional<ConsumerInterval>& window) {
  if (!window || !window->items || window->active <= Nanos(0)) return 0;
  return window->items->per_second * Seconds(window->length) / Seconds(window->active);
}

std::string RateOf(const std::optional<ConsumerInterval>& window) {
  const double rate = ActiveRate(window);
  return rate > 0 ? Batches({rate}) : "";
}

std::string WaitOf(const std::optional<ConsumerInterval>& window) {
  return window && window->starved ? Percent(*window->starved) : "";
}

std::string FlowLine(const LoaderStory& loader) {
  const std::string rate = Change(RateOf(loader.first_window), RateOf(loader.last_window));
  const std::string wait = Change(WaitOf(loader.first_window), WaitOf(loader.last_window));
  if (rate.empty() || loader.end.consumer.items < kEnough)
    return fmt::format("{} batches, too few to measure a rate", loader.end.consumer.items);
  return fmt::format("{} batches/s, the trainer waited {} of its time", rate,
                     wait.empty() ? "an unknown part" : wait);
}

std::string HeldText(const Knob& knob) {
  switch (knob.held) {
    case HeldBecause::kRandomDraws:
      return " (held: random draws)";
    case HeldBecause::kOrder:
      return " (held: order)";
    case HeldBecause::kUnknown:
      return " (held: unknown PyTorch)";
    default:
      return "";
  }
}

std::string KnobsLine(const LoaderStory& loader) {
  std::string line;
  for (std::size_t i = 0; i < loader.end.knobs.size() && i < loader.start.knobs.size(); ++i) {
    const Knob& before = loader.start.knobs[i];
    const Knob& now = loader.end.knobs[i];
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", now.name,
                        Change(std::to_string(before.value), std::to_string(now.value)) + HeldText(now));
  }
  return line;
}

std::int64_t ValueOf(const std::vector<Knob>& knobs, KnobKind kind, std::int64_t otherwise) {
  const auto found = std::ranges::find(knobs, kind, [](const Knob& knob) { return knob.id.kind; });
  return found == knobs.end() ? otherwise : found->value;
}

// The settings as PyTorch's DataLoader knows them, for those who want to write them into the script.
std::string InTheScript(std::vector<Knob> knobs, const Decision* advice) {
  for (Knob& knob : knobs) {
    for (const KnobChange& change : advice == nullptr ? std::vector<KnobChange>() : advice->changes) {
      if (change.knob == knob.id) knob.value = change.to;
    }
  }
  const std::int64_t workers = ValueOf(knobs, KnobKind::kWorkers, 0);
  const std::int64_t capacity = ValueOf(knobs, KnobKind::kCapacity, 0);
  if (workers == 0) return {};
  const std::int64_t prefetch = std::max<std::int64_t>((capacity + 2 * workers - 2) / workers, 1);
  return fmt::format("num_workers={}, prefetch_factor={}", workers, prefetch);
}

const Decision* LastAdvice(const LoaderStory& loader) {
  const auto& entries = loader.decisions.entries();
  const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                  [](const LoggedDecision& e) { return e.fate == Fate::kAdvised; });
  return found == entries.rend() ? nullptr : &found->decision;
}

bool Moved(const LoaderStory& loader) {
  return !std::ranges::equal(loader.start.knobs, loader.end.knobs, {}, &Knob::value, &Knob::value);
}

std::string ScriptLine(const LoaderStory& loader) {
  const Decision* advice = LastAdvice(loader);
  if (loader.advising && advice != nullptr) {
    return fmt::format("advice: DataLoader({}), predicted {} batches/s: {}",
                       InTheScript(loader.end.knobs, advice), Batches(advice->predicted), advice->because);
  }
  const std::string settings = InTheScript(loader.end.knobs, nullptr);
  if (loader.advising || !Moved(loader) || settings.empty()) return {};
  return "to write it into the script: DataLoader(" + settings + ")";
}

std::string Text(const LoaderStory& loader, const std::string& who) {
  std::string text = "  " + who + "\n";
  const std::string verdict = loader.end.consumer.items < kEnough ? "" : loader.verdict.sentence;
  for (const std::string& line :
       {FlowLine(loader), KnobsLine(loader), verdict, loader.threads, ScriptLine(loader), loader.remark}) {
    if (!line.empty()) text += "    " + line + "\n";
  }
  return text;
}

double Starved(const LoaderStory& loader) {
  return loader.last_window && loader.last_window->starved ? loader.last_window->starved->value : 0;
}

double RateNow(const LoaderStory& loader) {
  return ActiveRate(loader.last_window);
}

// The loader that a rank spent most of its time with.
std::vector<const LoaderStory*> MainLoaders(const std::vector<LoaderStory>& loaders) {
  std::vector<const LoaderStory*> ranks;
  const auto time = [](const LoaderStory& s) { return s.end.consumer.busy + s.end.consumer.starved; };
  for (const LoaderStory& loader : loaders) {
    if (!loader.rank || loader.end.consumer.items == 0) continue;
    const auto same = std::ranges::find(ranks, loader.rank, [](const LoaderStory* s) { return s->rank; });
    if (same == ranks.end())
      ranks.push_back(&loader);
    else if (time(loader) > time(**same))
      *same = &loader;
  }
  return ranks;
}

}  // namespace

std::string LoadersText(const std::vector<LoaderStory>& loaders) {
  std::string text;
  for (const LoaderStory& loader : loaders) {
    if (loader.end.consumer.items > 0) text += Text(loader, WhoAmong(loaders, loader));
  }
  const std::string slowest = SlowestRank(loaders);
  if (!slowest.empty()) text += "  " + slowest + "\n";
  return text;
}

std::string SlowestRank(const std::vector<LoaderStory>& loaders) {
  const auto ranks = MainLoaders(loaders);
  if (ranks.size() < 2) return {};
  const auto [served, waits] =
      std::ranges::minmax_element(ranks, {}, [](const auto* s) { return Starved(*s); });
  const auto [slow, fast] = std::ranges::minmax_element(ranks, {}, [](const auto* s) { return RateNow(*s); });
  if (Starved(**waits) - Starved(**served) >= kHeldUp) {
    return fmt::format("slowest: rank {}, which waits for data {} of its time (rank {} only {}): {}",
                       *(*waits)->rank, Percent({Starved(**waits)}), *(*served)->rank,
                       Percent({Starved(**served)}), (*waits)->verdict.sentence);
  }
  if (RateNow(**slow) < (1 - kApart) * RateNow(**fast)) {
    return fmt::format("slowest: rank {} with {} batches/s (the fastest, rank {}, {}): {}", *(*slow)->rank,
                       Batches({RateNow(**slow)}), *(*fast)->rank, Batches({RateNow(**fast)}),
                       (*slow)->verdict.sentence);
  }
  return fmt::format("{} ranks run in step; none is held up more than the others", ranks.size());
}

}  // namespace sluice
