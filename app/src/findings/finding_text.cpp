#include "findings/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

constexpr double kWorthNaming = 0.1;  // of the time in fetches

std::string Waits(const WindowValues& window) {
  return PercentText(window.waits.value_or(Fraction{})) + " waiting";
}

std::string Workers(std::int64_t n) {
  return fmt::format("{} worker{}", n, n == 1 ? "" : "s");
}

std::string Cost(const LoaderStory& story) {
  const auto& cost = story.values.cost;
  if (!cost || cost->share.value < kWorthNaming) return {};
  return fmt::format("; {} takes {} of the fetch time ({} per {})", cost->step, PercentText(cost->share),
                     FormatDuration(cost->each), cost->per_row ? "row" : "batch");
}

std::string WhyHeld(HeldBecause held) {
  switch (held) {
    case HeldBecause::kRandomDraws:
      return "its random draws would change; --repro free accepts that";
    case HeldBecause::kOrder:
      return "the order of rows would change; --repro free accepts that";
    case HeldBecause::kUnknown:
      return "this PyTorch is not known well enough to change it";
    case HeldBecause::kWatching:
      return "the run was too short to see whether its rows would change";
    case HeldBecause::kWorkerId:
      return "its rows depend on the worker that fetches them (get_worker_info)";
    case HeldBecause::kFailed:
      return "a worker raised an error after a change; --advise changes nothing";
    default:
      return {};
  }
}

std::string InVain(const TriedWorkers& tried) {
  return fmt::format(
      "{} {} tried{}: {}; {}", Workers(tried.workers), tried.workers == 1 ? "was" : "were",
      tried.started_anew ? ", started anew in every epoch" : "",
      tried.longer ? "epochs were no shorter" : "the CPU time grew by more than epochs shrank",
      tried.started_anew ? "persistent_workers=True starts workers once per run" : "make rows cheaper");
}

// What there is to do about too few workers.
std::string MoreWorkers(const LoaderStory& story, const std::string& else_remedy) {
  for (const Knob& knob : story.end) {
    if (knob.id.kind != KnobKind::kWorkers) continue;
    const std::string held = WhyHeld(knob.held);
    if (!held.empty()) return fmt::format("num_workers is held at {}: {}", knob.value, held);
  }
  if (const auto& tried = story.values.tried_in_vain) return InVain(*tried);
  if (const auto share = story.values.dear_start) {
    return fmt::format(
        "one more worker, started anew in every epoch, would take {} more CPU time: persistent_workers=True "
        "starts workers once per run",
        PercentText(*share));
  }
  return else_remedy;
}

// Which of all that can be waited for it is, is not seen from outside; what was read from storage is.
std::string WhatItMayBe(const RunFacts& facts) {
  if (!facts.storage_read) return "storage, network, a lock or a sleep";
  if (facts.storage_read->count == 0) return "network, a lock or a sleep: nothing was read from storage";
  return fmt::format("storage, network, a lock or a sleep; {} were read from storage in the whole run",
                     FormatBytes(*facts.storage_read));
}

std::string CoresText(const LoaderStory& story) {
  const double used = std::min(story.values.last->cores.value_or(0), story.values.cores);
  return fmt::format(
      "{:.3g} of {:g} cores in use: the cores are the limit{}; make that cheaper, or give the run more "
      "cores",
      used, story.values.cores, Cost(story));
}

std::string SleepsText(const LoaderStory& story, const RunFacts& facts) {
  const WindowValues& window = *story.values.last;
  return fmt::format(
      "{}, {} busy {} and {} of that off the cores: the rows wait for something ({}); {}", Waits(window),
      Workers(story.values.end.workers), PercentText(*window.fetch_busy),
      PercentText(OffTheCores(window).value_or(Fraction{})), WhatItMayBe(facts),
      MoreWorkers(story, "more workers overlap more of these waits, also beyond the number of cores"));
}

std::string ComputesText(const LoaderStory& story) {
  const WindowValues& window = *story.values.last;
  return fmt::format(
      "{}, {} busy {}: fetching is the limit{}; {}", Waits(window), Workers(story.values.end.workers),
      PercentText(*window.fetch_busy), Cost(story),
      MoreWorkers(story, "more workers help as long as cores are free, else make rows cheaper"));
}

// Who waits for a core most, and how much.
std::string Queueing(const WindowValues& window) {
  const Fraction workers = window.fetch_queued.value_or(Fraction{});
  const Fraction trainer = window.trainer_queued.value_or(Fraction{});
  const bool they = workers > trainer;
  return fmt::format("{} for a core {} of {} time", they ? "workers queue" : "the training process queues",
                     PercentText(they ? workers : trainer), they ? "their" : "its");
}

std::string OtherWorkText(const LoaderStory& story) {
  const WindowValues& window = *story.values.last;
  const std::string cores =
      window.cores ? fmt::format("{:.3g} of {:g} cores", *window.cores, story.values.cores) : "few cores";
  return fmt::format(
      "{}: {} and the run gets {}: other work on this machine is the limit; stop it, or give the run cores "
      "of its own",
      Waits(window), Queueing(window), cores);
}

std::string BurstsText(const LoaderStory& story) {
  const WindowValues& window = *story.values.last;
  const double used = std::min(window.cores.value_or(0), story.values.cores);
  return fmt::format(
      "{}: {}, behind other threads of this run ({:.3g} of {:g} cores in use on average, {:.2f} by other "
      "work): at times the cores are the limit{}; make that cheaper, start fewer threads, or give the run "
      "more cores",
      Waits(window), Queueing(window), used, story.values.cores, window.machine->others, Cost(story));
}

std::string StartUpText(const WindowValues& window) {
  const double each =
      Seconds(window.start_up) / static_cast<double>(std::max<std::uint64_t>(window.epochs, 1));
  return fmt::format(
      "{}, most of it while workers start ({} per epoch): start-up is the limit; "
      "persistent_workers=True starts them once per run",
      Waits(window), FormatDuration(FromSeconds(each)));
}

std::string MemoryText(const LoaderStory& story) {
  const std::string budget = story.values.memory ? " of " + FormatBytes(*story.values.memory) : "";
  return fmt::format(
      "{}: more workers or batches do not fit into the memory budget{}; raise it by --memory, or make "
      "batches smaller",
      Waits(*story.values.last), budget);
}

}  // namespace

std::string PercentText(Fraction share) {
  return fmt::format("{:.{}f}%", 100 * share.value, share.value < 0.0995 ? 1 : 0);
}

std::string FindingText(const LoaderStory& story, const RunFacts& facts) {
  if (!story.values.last) return {};
  const WindowValues& window = *story.values.last;
  switch (story.values.finding) {
    case Finding::kUnknown:
      return window.setting ? ""
                            : "the settings changed shortly before the end: too late to say what limits now";
    case Finding::kLoop:
      return Waits(window) + ": the training loop is the limit, the loader keeps up; nothing to do";
    case Finding::kNoWorkers:
      return fmt::format("{}: the training loop fetches its batches by itself{}; {}", Waits(window),
                         Cost(story), MoreWorkers(story, "num_workers=1 or more fetches them beside it"));
    case Finding::kStartUp:
      return StartUpText(window);
    case Finding::kCores:
      return CoresText(story);
    case Finding::kOtherWork:
      return OtherWorkText(story);
    case Finding::kBursts:
      return BurstsText(story);
    case Finding::kSampler:
      return fmt::format("{}, the sampler busy {}: it is the limit, and workers cannot help; make it cheaper",
                         Waits(window), PercentText(*window.sampler_busy));
    case Finding::kPin:
      return fmt::format(
          "{}, the pin thread busy {}: it is the limit; make batches smaller, or set pin_memory=False",
          Waits(window), PercentText(*window.pin_busy));
    case Finding::kFetchComputes:
      return ComputesText(story);
    case Finding::kFetchSleeps:
      return SleepsText(story, facts);
    case Finding::kMemory:
      return MemoryText(story);
    case Finding::kUneven:
      return fmt::format("{}, though {} busy only {}: single batches come late; {}", Waits(window),
                         Workers(story.values.end.workers) + (story.values.end.workers == 1 ? " is" : " are"),
                         PercentText(*window.fetch_busy),
                         "a larger prefetch_factor covers more of that, if the rate varies within epochs");
    case Finding::kSource:
      return Waits(window) +
             ": what the loop reads from is the limit; it has no settings that could be changed here";
  }
  return {};
}

std::string_view FindingName(Finding finding) {
  switch (finding) {
    case Finding::kUnknown:
      return "unknown";
    case Finding::kLoop:
      return "loop";
    case Finding::kNoWorkers:
      return "no workers";
    case Finding::kStartUp:
      return "start-up";
    case Finding::kCores:
      return "cores";
    case Finding::kOtherWork:
      return "other work";
    case Finding::kBursts:
      return "bursts";
    case Finding::kSampler:
      return "sampler";
    case Finding::kPin:
      return "pin thread";
    case Finding::kFetchComputes:
      return "fetch computes";
    case Finding::kFetchSleeps:
      return "fetch waits";
    case Finding::kMemory:
      return "memory";
    case Finding::kUneven:
      return "uneven";
    case Finding::kSource:
      return "source";
  }
  return "unknown";
}

std::vector<Finding> AllFindings() {
  std::vector<Finding> all;
  for (int i = 0; i <= static_cast<int>(Finding::kSource); ++i) all.push_back(static_cast<Finding>(i));
  return all;
}

}  // namespace sluice::app
