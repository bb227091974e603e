#include "loaders/loaders_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/finding_text.h"
#include "loaders/net_result.h"
#include "loaders/rank_standing.h"
#include "loaders/script_advice.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/loader_check.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr double kQueues = 0.15;  // of the workers' time: others have the cores

std::string Who(const LoaderReport& loader) {
  return loader.rank ? fmt::format("rank {}: {}", *loader.rank, loader.program) : loader.program;
}

// With what tells it from others of the same name: the process, or, within one, its size.
std::string WhoAmong(const std::vector<LoaderReport>& loaders, const LoaderReport& loader) {
  std::string who = Who(loader);
  const auto same = [&](const LoaderReport& other) { return &other != &loader && Who(other) == Who(loader); };
  const bool elsewhere = std::ranges::any_of(
      loaders, [&](const LoaderReport& other) { return same(other) && other.pid != loader.pid; });
  const bool beside = std::ranges::any_of(
      loaders, [&](const LoaderReport& other) { return same(other) && other.pid == loader.pid; });
  if (elsewhere) who += fmt::format(", process {}", loader.pid);
  if (beside && loader.values.epoch_batches)
    who += fmt::format(", {} batches per epoch", *loader.values.epoch_batches);
  return who;
}

// "first -> last", or the last alone where it is the same or there is no other.
std::string Change(const std::string& first, const std::string& last) {
  return first.empty() || first == last ? last : first + " -> " + last;
}

std::string WaitOf(const WindowValues& window) {
  return window.waits ? PercentText(window.waits) : "";
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
  return values.last && queued(values.last) >= kQueues && queued(values.last) > queued(values.first) &&
         OthersHaveCores(*values.last);
}

std::string FlowLine(const LoaderValues& values) {
  if (!values.last || values.last->rate <= 0 || !EnoughBatches(values))
    return fmt::format("{} batches, too few to measure a rate", values.batches);
  const char* unit = values.last->of_loader ? "batches/s" : "items/s";
  const bool tells = Changed(values) && values.first;
  const bool helped = tells && Helped(values);
  const std::string rate =
      Change(helped ? FormatRate(values.first->rate) : "", FormatRate(values.last->rate));
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
  if (apart && !values.whole_epochs && values.epochs.front().changed)
    return fmt::format(
        "{} batches/s, {}; {} batches/s before, but as the settings changed within epoch 1, no epoch shows "
        "what that has brought",
        rate, waits, FormatRate(values.first->rate));
  return fmt::format("{} batches/s, {}; the changes brought no gain ({} batches/s before{})", rate, waits,
                     FormatRate(values.first->rate), apart ? ", but epochs are no shorter" : "");
}

std::string HeldText(const Knob& knob) {
  const std::string_view words = HeldWords(knob.held);
  return words.empty() ? "" : fmt::format(" (held: {})", words);
}

std::string KnobsLine(const LoaderReport& loader) {
  std::string line;
  for (std::size_t i = 0; i < loader.end.size() && i < loader.start.size(); ++i) {
    const Knob& before = loader.start[i];
    const Knob& now = loader.end[i];
    line += fmt::format(
        "{}{} {}", line.empty() ? "" : ", ", now.name,
        Change(KnobValueText(before.id.kind, before.value), KnobValueText(now.id.kind, now.value)) +
            HeldText(now));
  }
  return line;
}

// What an earlier run has left.
std::string StartedText(const LoaderReport& loader) {
  if (!loader.started_from) return {};
  if (loader.started_from->empty()) return "already set as an earlier run left it";
  return "started from an earlier run: " + ChangesText(NamedChanges(*loader.started_from, loader.start));
}

std::string Text(const std::vector<LoaderReport>& loaders, const LoaderReport& loader,
                 std::optional<Bytes> storage_read) {
  std::string text = "  " + WhoAmong(loaders, loader) + "\n";
  const bool enough = EnoughBatches(loader.values);
  for (const std::string& line :
       {enough ? NetText(loader.values) : "", FlowLine(loader.values), KnobsLine(loader),
        enough ? FindingText(loader, storage_read) : "", loader.threads ? CrowdedText(*loader.threads) : "",
        ScriptLine(loaders, loader), StartedText(loader)}) {
    if (!line.empty()) text += "    " + line + "\n";
  }
  for (const std::string& note : loader.notes) text += "    " + note + "\n";
  return text;
}

}  // namespace

std::string LoadersText(const std::vector<LoaderReport>& loaders, std::optional<Bytes> storage_read) {
  std::string text;
  for (const LoaderReport& loader : loaders) text += Text(loaders, loader, storage_read);
  text += SharedScriptLines(loaders);
  const std::string slowest = SlowestRank(loaders, storage_read);
  return slowest.empty() ? text : text + "  " + slowest + "\n";
}

}  // namespace sluice::exporters
