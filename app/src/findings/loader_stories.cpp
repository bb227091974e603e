#include "findings/loader_stories.h"

#include <fmt/format.h>

#include <algorithm>

#include "findings/finding_text.h"
#include "findings/net_result.h"
#include "findings/report_check.h"

namespace sluice::app {
namespace {

constexpr double kHeldUp = 0.05;       // share of its time that the slowest rank waits more than another
constexpr std::uint64_t kEnough = 20;  // batches; fewer say nothing of a rate
constexpr double kApart = 0.05;        // ranks whose rates differ by less run in step
constexpr double kQueues = 0.15;       // of the workers' time: others have the cores

std::string Who(const LoaderStory& loader) {
  return loader.rank ? fmt::format("rank {}: {}", *loader.rank, loader.program) : loader.program;
}

// With what tells it from others of the same name: the process, or, within one, its size.
std::string WhoAmong(const std::vector<LoaderStory>& loaders, const LoaderStory& loader) {
  std::string who = Who(loader);
  const auto same = [&](const LoaderStory& other) { return &other != &loader && Who(other) == Who(loader); };
  const bool elsewhere = std::ranges::any_of(
      loaders, [&](const LoaderStory& other) { return same(other) && other.pid != loader.pid; });
  const bool beside = std::ranges::any_of(
      loaders, [&](const LoaderStory& other) { return same(other) && other.pid == loader.pid; });
  if (elsewhere) who += fmt::format(", process {}", loader.pid);
  if (beside && loader.values.epoch_batches)
    who += fmt::format(", {} batches per epoch", *loader.values.epoch_batches);
  return who;
}

std::string Batches(double rate) {
  return fmt::format("{:.3g}", rate);
}

// "first -> last", or the last alone where it is the same or there is no other.
std::string Change(const std::string& first, const std::string& last) {
  return first.empty() || first == last ? last : first + " -> " + last;
}

std::string WaitOf(const WindowValues& window) {
  return window.waits ? PercentText(*window.waits) : "";
}

bool Changed(const LoaderValues& values) {
  return values.start != values.end;
}

// The cores have gone to somebody else since: rates of before and after do not compare.
bool OthersTookCores(const LoaderValues& values) {
  const auto queued = [](const std::optional<WindowValues>& window) {
    return !window ? 0
                   : std::max(window->fetch_queued.value_or(Fraction{}).value,
                              window->trainer_queued.value_or(Fraction{}).value);
  };
  return queued(values.last) >= kQueues && queued(values.last) > queued(values.first) &&
         OthersHaveCores(*values.last);
}

std::string FlowLine(const LoaderValues& values) {
  if (!values.last || values.last->rate <= 0 || !EnoughBatches(values))
    return fmt::format("{} batches, too few to measure a rate", values.batches);
  const char* unit = values.last->of_loader ? "batches/s" : "items/s";
  const bool tells = Changed(values) && values.first;
  const bool helped = tells && Helped(values);
  const std::string rate = Change(helped ? Batches(values.first->rate) : "", Batches(values.last->rate));
  const std::string wait = Change(tells ? WaitOf(*values.first) : "", WaitOf(*values.last));
  const std::string waits = wait.empty() ? "waits not measured" : "waiting " + wait + " of the time";
  if (!tells || helped) return fmt::format("{} {}, {}", rate, unit, waits);
  if (OthersTookCores(values))
    return fmt::format("{} batches/s, {}; other work took cores meanwhile, so its rates do not compare", rate,
                       waits);
  if (CostsHaveFallen(values))
    return fmt::format(
        "{} batches/s, {}; rows or steps take less than in the beginning, so its rates do not compare", rate,
        waits);
  const bool epochs = values.whole_epochs || EpochsOf(values.epochs);
  const bool apart = epochs && values.last->rate > values.first->rate;
  return fmt::format("{} batches/s, {}; the changes brought no gain ({} batches/s before{})", rate, waits,
                     Batches(values.first->rate), apart ? ", but epochs are no shorter" : "");
}

std::string HeldText(const Knob& knob) {
  switch (knob.held) {
    case HeldBecause::kRandomDraws:
      return " (held: random draws)";
    case HeldBecause::kOrder:
      return " (held: order)";
    case HeldBecause::kUnknown:
      return " (held: unknown PyTorch)";
    case HeldBecause::kWorkerId:
      return " (held: rows depend on the worker's id)";
    case HeldBecause::kFailed:
      return " (held: an error came after a change)";
    default:
      return "";
  }
}

std::string KnobsLine(const LoaderStory& loader) {
  std::string line;
  for (std::size_t i = 0; i < loader.end.size() && i < loader.start.size(); ++i) {
    const Knob& before = loader.start[i];
    const Knob& now = loader.end[i];
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", now.name,
                        Change(std::to_string(before.value), std::to_string(now.value)) + HeldText(now));
  }
  return line;
}

// As PyTorch's DataLoader knows it, for those who want to write it into the script.
std::string InTheScript(const LoaderSetting& setting) {
  if (setting.workers == 0) return "num_workers=0";
  return fmt::format("num_workers={}, prefetch_factor={}", setting.workers, PrefetchFactor(setting));
}

// Processes run it, ranks as a rule.
bool Several(const std::vector<LoaderStory>& loaders, const LoaderStory& loader) {
  return std::ranges::any_of(loaders, [&](const LoaderStory& other) {
    return other.program == loader.program && other.pid != loader.pid;
  });
}

std::string ScriptLine(const LoaderStory& loader) {
  const auto found = WorthWriting(loader);
  if (!found) return {};
  if (!loader.advising) return "to write it into the script: DataLoader(" + InTheScript(*found) + ")";
  return fmt::format("advice: DataLoader({}), predicted {} batches/s", InTheScript(*found),
                     Batches(loader.values.advice->predicted));
}

std::int64_t Middle(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// A script has one line for all of its ranks: the middle of what they came to.
std::string SharedScriptLine(const std::vector<LoaderStory>& loaders, const std::string& program) {
  std::vector<std::int64_t> workers;
  std::vector<std::int64_t> prefetch;
  std::size_t ranks = 0;
  bool advising = false;
  for (const LoaderStory& loader : loaders) {
    if (loader.program != program || loader.values.batches == 0) continue;
    ++ranks;
    advising = loader.advising;
    if (const auto found = WorthWriting(loader)) {
      workers.push_back(found->workers);
      prefetch.push_back(PrefetchFactor(*found));
    }
  }
  if (workers.size() * 2 <= ranks) return {};
  const std::int64_t n = Middle(std::move(workers));
  return fmt::format("{}: {}, all {} processes: DataLoader(num_workers={}, prefetch_factor={})", program,
                     advising ? "advice" : "to write it into the script", ranks, n,
                     n == 0 ? 2 : Middle(std::move(prefetch)));
}

std::string SharedScriptLines(const std::vector<LoaderStory>& loaders) {
  std::string text;
  std::vector<std::string> told;
  for (const LoaderStory& loader : loaders) {
    if (!Several(loaders, loader) || std::ranges::find(told, loader.program) != told.end()) continue;
    told.push_back(loader.program);
    const std::string line = SharedScriptLine(loaders, loader.program);
    if (!line.empty()) text += "  " + line + "\n";
  }
  return text;
}

std::string Text(const std::vector<LoaderStory>& loaders, const LoaderStory& loader, const RunFacts& facts) {
  std::string text = "  " + WhoAmong(loaders, loader) + "\n";
  const bool enough = EnoughBatches(loader.values);
  const std::string net = enough ? NetText(loader.values) : "";
  const std::string finding = enough ? FindingText(loader, facts) : "";
  const std::string script = Several(loaders, loader) || !enough ? "" : ScriptLine(loader);
  for (const std::string& line :
       {net, FlowLine(loader.values), KnobsLine(loader), finding, loader.threads, script, loader.remark}) {
    if (!line.empty()) text += "    " + line + "\n";
  }
  for (const std::string& note : loader.notes) text += "    " + note + "\n";
  return text;
}

double Waiting(const LoaderStory& loader) {
  return loader.values.last && loader.values.last->waits ? loader.values.last->waits->value : 0;
}

double RateNow(const LoaderStory& loader) {
  return loader.values.last ? loader.values.last->rate : 0;
}

// The loader that a rank spent most of its time with.
std::vector<const LoaderStory*> MainLoaders(const std::vector<LoaderStory>& loaders) {
  std::vector<const LoaderStory*> ranks;
  for (const LoaderStory& loader : loaders) {
    if (!loader.rank || loader.values.batches == 0) continue;
    const auto same = std::ranges::find(ranks, loader.rank, [](const LoaderStory* s) { return s->rank; });
    if (same == ranks.end())
      ranks.push_back(&loader);
    else if (loader.values.active > (*same)->values.active)
      *same = &loader;
  }
  return ranks;
}

std::string Because(const LoaderStory& loader, const RunFacts& facts) {
  const std::string finding = FindingText(loader, facts);
  return finding.empty() ? "" : ": " + finding;
}

}  // namespace

std::vector<LoaderStory> Tellable(const std::vector<LoaderStory>& loaders, const RunFacts& facts) {
  std::vector<LoaderStory> told;
  for (LoaderStory loader : loaders) {
    if (loader.values.batches == 0) continue;
    NoteMachine(loader.values, facts.cores);
    loader.values = OnlyWhatHolds(std::move(loader.values));
    told.push_back(std::move(loader));
  }
  return told;
}

bool EnoughBatches(const LoaderValues& values) {
  return values.batches >= kEnough;
}

std::optional<LoaderSetting> WorthWriting(const LoaderStory& loader) {
  const LoaderValues& values = loader.values;
  if (loader.advising) return values.advice ? std::optional(values.advice->setting) : std::nullopt;
  const LoaderSetting found = Sensible(values.end, values);
  if (!Changed(values) || found == values.start || !Helped(values)) return std::nullopt;
  return found;
}

std::string LoadersText(const std::vector<LoaderStory>& loaders, const RunFacts& facts) {
  const std::vector<LoaderStory> told = Tellable(loaders, facts);
  std::string text;
  for (const LoaderStory& loader : told) text += Text(told, loader, facts);
  const std::string slowest = SlowestRank(told, facts);
  text += SharedScriptLines(told);
  return slowest.empty() ? text : text + "  " + slowest + "\n";
}

std::string SlowestRank(const std::vector<LoaderStory>& loaders, const RunFacts& facts) {
  const auto ranks = MainLoaders(loaders);
  if (ranks.size() < 2) return {};
  const auto [served, waits] =
      std::ranges::minmax_element(ranks, {}, [](const auto* s) { return Waiting(*s); });
  const auto [slow, fast] = std::ranges::minmax_element(ranks, {}, [](const auto* s) { return RateNow(*s); });
  if (Waiting(**waits) - Waiting(**served) >= kHeldUp) {
    return fmt::format("slowest: rank {}, which waits for data {} of its time (rank {} only {}){}",
                       *(*waits)->rank, PercentText({Waiting(**waits)}), *(*served)->rank,
                       PercentText({Waiting(**served)}), Because(**waits, facts));
  }
  if (RateNow(**slow) < (1 - kApart) * RateNow(**fast)) {
    return fmt::format("slowest: rank {} with {} batches/s (the fastest, rank {}, {}){}", *(*slow)->rank,
                       Batches(RateNow(**slow)), *(*fast)->rank, Batches(RateNow(**fast)),
                       Because(**slow, facts));
  }
  return fmt::format("{} ranks run in step; none is held up more than the others", ranks.size());
}

}  // namespace sluice::app
