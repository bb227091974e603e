#include "loaders/finding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sluice/base/text.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr double kWorthNaming = 0.1;  // of the time in fetches

std::string Waits(const WindowValues& window) {
  return PercentText(window.waits.value_or(Fraction{})) + " waiting";
}

std::string Workers(std::int64_t n) {
  return fmt::format("{} worker{}", n, n == 1 ? "" : "s");
}

// REQUIRES: the finding rests on them.
std::string Cost(const LoaderReport& loader) {
  const auto& cost = loader.values.cost;
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
      return "an error came after a change; --advise changes nothing";
    case HeldBecause::kUnfit:
      return "more workers would not do the same, as said below";
    case HeldBecause::kChanges:
      return "its data set changes within an epoch, which workers would not see";
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
std::string MoreWorkers(const LoaderReport& loader, const std::string& else_remedy) {
  for (const Knob& knob : loader.end) {
    if (knob.id.kind != KnobKind::kWorkers) continue;
    const std::string held = WhyHeld(knob.held);
    if (!held.empty()) return fmt::format("num_workers is held at {}: {}", knob.value, held);
  }
  if (const auto& tried = loader.values.tried_in_vain) return InVain(*tried);
  if (const auto share = loader.values.dear_start) {
    return fmt::format(
        "one more worker, started anew in every epoch, would take {} more CPU time: persistent_workers=True "
        "starts workers once per run",
        PercentText(share));
  }
  return else_remedy;
}

// Which of all that can be waited for it is, is not seen from outside; what was read from storage is.
std::string WhatItMayBe(std::optional<Bytes> storage_read) {
  if (!storage_read) return "storage, network, a lock or a sleep";
  if (storage_read->count == 0) return "network, a lock or a sleep: nothing was read from storage";
  return fmt::format("storage, network, a lock or a sleep; {} were read from storage in the whole run",
                     FormatBytes(*storage_read));
}

// The run, not the loader, is held back: how many cores are in use tells nothing.
std::string QuotaText(const LoaderReport& loader, const WindowValues& window) {
  const std::string cost = Cost(loader);
  return fmt::format("{}: {}{}; make {} cheaper, or raise the quota", Waits(window), loader.values.throttled,
                     cost, cost.empty() ? "rows" : "that");
}

std::string CoresText(const LoaderReport& loader, const WindowValues& window) {
  if (!loader.values.throttled.empty()) return QuotaText(loader, window);
  const double used = std::min(window.cores.value_or(0), loader.values.cores);
  return fmt::format(
      "{:.3g} of {:g} cores in use: the cores are the limit{}; make that cheaper, or give the run more "
      "cores",
      used, loader.values.cores, Cost(loader));
}

std::string SleepsText(const LoaderReport& loader, const WindowValues& window,
                       std::optional<Bytes> storage_read) {
  return fmt::format(
      "{}, {} busy {} and {} of that off the cores: the rows wait for something ({}); {}", Waits(window),
      Workers(loader.values.end.workers), PercentText(window.fetch_busy),
      PercentText(OffTheCores(window).value_or(Fraction{})), WhatItMayBe(storage_read),
      MoreWorkers(loader, "more workers overlap more of these waits, also beyond the number of cores"));
}

std::string ComputesText(const LoaderReport& loader, const WindowValues& window) {
  return fmt::format(
      "{}, {} busy {}: fetching is the limit{}; {}", Waits(window), Workers(loader.values.end.workers),
      PercentText(window.fetch_busy), Cost(loader),
      MoreWorkers(loader, "more workers help as long as cores are free, else make rows cheaper"));
}

// Who waits for a core most, and how much.
std::string Queueing(const WindowValues& window) {
  const Fraction workers = window.fetch_queued.value_or(Fraction{});
  const Fraction trainer = window.trainer_queued.value_or(Fraction{});
  const bool they = workers > trainer;
  return fmt::format("{} for a core {} of {} time", they ? "workers queue" : "the training process queues",
                     PercentText(they ? workers : trainer), they ? "their" : "its");
}

std::string OtherWorkText(const LoaderReport& loader, const WindowValues& window) {
  const std::string cores =
      window.cores ? fmt::format("{:.3g} of {:g} cores", *window.cores, loader.values.cores) : "few cores";
  return fmt::format(
      "{}: {} and the run gets {}: other work on this machine is the limit; stop it, or give the run cores "
      "of its own",
      Waits(window), Queueing(window), cores);
}

std::string BurstsText(const LoaderReport& loader, const WindowValues& window) {
  if (!loader.values.throttled.empty()) return QuotaText(loader, window);
  const double used = std::min(window.cores.value_or(0), loader.values.cores);
  const std::string behind = window.machine
                                 ? fmt::format(
                                       ", behind other threads of this run ({:.3g} of {:g} cores in use on "
                                       "average, {:.2f} by other work)",
                                       used, loader.values.cores, window.machine->others)
                                 : "";
  return fmt::format(
      "{}: {}{}: at times the cores are the limit{}; make that cheaper, start fewer threads, or give the "
      "run more cores",
      Waits(window), Queueing(window), behind, Cost(loader));
}

std::string StartUpText(const WindowValues& window) {
  const double each =
      Seconds(window.start_up) / static_cast<double>(std::max<std::uint64_t>(window.epochs, 1));
  return fmt::format(
      "{}, most of it while workers start ({} per epoch): start-up is the limit; "
      "persistent_workers=True starts them once per run",
      Waits(window), FormatDuration(FromSeconds(each)));
}

std::string MemoryText(const LoaderReport& loader, const WindowValues& window) {
  const std::string budget = loader.values.memory ? " of " + FormatBytes(*loader.values.memory) : "";
  return fmt::format(
      "{}: more workers or batches do not fit into the memory budget{}; raise it by --memory, or make "
      "batches smaller",
      Waits(window), budget);
}

}  // namespace

std::string FindingText(const LoaderReport& loader, std::optional<Bytes> storage_read) {
  if (!loader.values.last) return {};
  const WindowValues& window = *loader.values.last;
  switch (loader.values.finding) {
    case Finding::kUnknown:
      if (window.setting) return "";
      return fmt::format("{} shortly before the end: too late to say what limits now",
                         loader.values.start == loader.values.end ? "the script's own settings came back"
                                                                  : "the settings changed");
    case Finding::kLoop:
      return Waits(window) + ": the training loop is the limit, the loader keeps up; nothing to do";
    case Finding::kNoWorkers:
      return fmt::format("{}: the training loop fetches its batches by itself{}; {}", Waits(window),
                         Cost(loader), MoreWorkers(loader, "num_workers=1 or more fetches them beside it"));
    case Finding::kStartUp:
      return StartUpText(window);
    case Finding::kCores:
      return CoresText(loader, window);
    case Finding::kOtherWork:
      return OtherWorkText(loader, window);
    case Finding::kBursts:
      return BurstsText(loader, window);
    case Finding::kSampler:
      return fmt::format("{}, the sampler busy {}: it is the limit, and workers cannot help; make it cheaper",
                         Waits(window), PercentText(window.sampler_busy));
    case Finding::kPin:
      return fmt::format(
          "{}, the pin thread busy {}: it is the limit; make batches smaller, or set pin_memory=False",
          Waits(window), PercentText(window.pin_busy));
    case Finding::kFetchComputes:
      return ComputesText(loader, window);
    case Finding::kFetchSleeps:
      return SleepsText(loader, window, storage_read);
    case Finding::kMemory:
      return MemoryText(loader, window);
    case Finding::kUneven:
      return fmt::format(
          "{}, though {} busy only {}: single batches come late; {}", Waits(window),
          Workers(loader.values.end.workers) + (loader.values.end.workers == 1 ? " is" : " are"),
          PercentText(window.fetch_busy),
          "a larger prefetch_factor covers more of that, if the rate varies within epochs");
    case Finding::kSource:
      return Waits(window) +
             ": what the loop reads from is the limit; it has no settings that could be changed here";
  }
  return {};
}

std::string CrowdedText(const CrowdedThreads& crowded) {
  const bool one = crowded.workers == 1;
  return fmt::format(
      "{} {} {} threads on {:g} cores ({}){}; {}", Workers(static_cast<std::int64_t>(crowded.workers)),
      one ? "has" : "have", crowded.threads, crowded.cores, fmt::join(crowded.libraries, ", "),
      crowded.in_kernel
          ? fmt::format(", and {} of their CPU time is the kernel's", PercentText(crowded.in_kernel))
          : "",
      crowded.limited ? "--tune-threads could not set all of them; try OMP_NUM_THREADS=1"
                      : "--tune-threads keeps new workers to their share, or set OMP_NUM_THREADS=1");
}

}  // namespace sluice::exporters
