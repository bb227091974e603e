#include "loaders/loaders_json.h"

#include <string>

#include "json/pipeline_json.h"
#include "loaders/finding_text.h"
#include "loaders/net_result.h"
#include "loaders/rank_standing.h"
#include "loaders/script_advice.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {
namespace {

Json SettingJson(const LoaderSetting& setting) {
  return {{"workers", setting.workers},
          {"capacity_batches", setting.capacity},
          {"prefetch_factor", setting.workers > 0 ? Json(PrefetchFactor(setting)) : Json(nullptr)}};
}

Json WindowJson(const std::optional<WindowValues>& window) {
  if (!window) return nullptr;
  return {{"active_seconds", InSeconds(window->active)},
          {"batches", window->batches},
          {"batches_per_second", window->rate},
          {"waiting_fraction", OrNull(window->waits)},
          {"cores", OrNull(window->cores)},
          {"other_work_cores", window->machine ? Number(window->machine->others) : Json(nullptr)},
          {"fetch_busy_fraction", OrNull(window->fetch_busy)},
          {"fetch_off_cpu_fraction", OrNull(window->fetch_off)},
          {"fetch_queued_fraction", OrNull(window->fetch_queued)},
          {"sampler_busy_fraction", OrNull(window->sampler_busy)},
          {"pin_busy_fraction", OrNull(window->pin_busy)},
          {"trainer_queued_fraction", OrNull(window->trainer_queued)},
          {"start_up_seconds", InSeconds(window->start_up)}};
}

Json KnobsJson(const LoaderReport& loader) {
  Json knobs = Json::array();
  for (std::size_t i = 0; i < loader.end.size() && i < loader.start.size(); ++i) {
    const Knob& knob = loader.end[i];
    knobs.push_back({{"name", knob.name},
                     {"start", loader.start[i].value},
                     {"end", knob.value},
                     {"held", HeldJson(knob.held)}});
  }
  return knobs;
}

Json EpochsJson(const std::vector<EpochTimes>& epochs) {
  Json list = Json::array();
  for (const EpochTimes& epoch : epochs) {
    list.push_back({{"epoch", epoch.epoch},
                    {"batches", epoch.batches},
                    {"seconds", InSeconds(epoch.active)},
                    {"waiting_seconds", InSeconds(epoch.waits)},
                    {"whole", epoch.whole},
                    {"trial", epoch.trial},
                    {"changed", epoch.changed}});
  }
  return list;
}

Json SavedJson(const std::optional<Saved>& saved) {
  if (!saved) return nullptr;
  return {{"seconds", InSeconds(saved->saved)}, {"of_seconds", InSeconds(saved->of)}};
}

Json AdviceJson(const LoaderReport& loader) {
  const auto setting = WorthWriting(loader);
  if (!setting) return nullptr;
  Json advice = SettingJson(*setting);
  advice["predicted_batches_per_second"] =
      loader.advising && loader.values.advice ? Json(loader.values.advice->predicted) : Json(nullptr);
  return advice;
}

Json CostJson(const std::optional<CostValues>& cost) {
  if (!cost) return nullptr;
  return {{"step", cost->step},
          {"fetch_time_fraction", cost->share.value},
          {"seconds", InSeconds(cost->each)},
          {"per", cost->per_row ? "row" : "batch"}};
}

Json TriedJson(const std::optional<TriedWorkers>& tried) {
  if (!tried) return nullptr;
  return {{"workers", tried->workers},
          {"because", tried->longer ? "epochs_no_shorter" : "cpu_time_grew_more"},
          {"started_in_every_epoch", tried->started_anew}};
}

Json CrowdedJson(const std::optional<CrowdedThreads>& crowded) {
  if (!crowded) return nullptr;
  return {{"workers", crowded->workers},
          {"threads", crowded->threads},
          {"cores", crowded->cores},
          {"libraries", crowded->libraries},
          {"kernel_fraction", OrNull(crowded->in_kernel)},
          {"limited", crowded->limited},
          {"sentence", CrowdedText(*crowded)}};
}

Json StartedJson(const LoaderReport& loader) {
  if (!loader.started_from) return nullptr;
  return ChangesJson(NamedChanges(*loader.started_from, loader.start));
}

Json LoaderJson(const LoaderReport& loader, std::optional<Bytes> storage_read) {
  const LoaderValues& values = loader.values;
  const bool enough = EnoughBatches(values);
  return {{"name", loader.program},
          {"rank", OrNull(loader.rank)},
          {"pid", loader.pid},
          {"batches", values.batches},
          {"batches_per_epoch", OrNull(values.epoch_batches)},
          {"active_seconds", InSeconds(values.active)},
          {"verdict", enough ? FindingName(values.finding) : FindingName(Finding::kUnknown)},
          {"sentence", enough ? TextOrNull(FindingText(loader, storage_read)) : Json(nullptr)},
          {"start", SettingJson(values.start)},
          {"end", SettingJson(values.end)},
          {"knobs", KnobsJson(loader)},
          {"first_window", WindowJson(values.first)},
          {"last_window", WindowJson(values.last)},
          {"saved", enough ? SavedJson(SavedBy(values)) : Json(nullptr)},
          {"advice", enough ? AdviceJson(loader) : Json(nullptr)},
          {"costliest_step", CostJson(values.cost)},
          {"tried_in_vain", TriedJson(values.tried_in_vain)},
          {"one_more_worker_cpu_fraction", OrNull(values.dear_start)},
          {"crowded_threads", CrowdedJson(loader.threads)},
          {"started_from", StartedJson(loader)},
          {"memory_bytes", OrNull(values.memory)},
          {"epochs", EpochsJson(values.epochs)},
          {"notes", loader.notes}};
}

Json StandingJson(const LoaderReport& loader) {
  return {{"rank", OrNull(loader.rank)},
          {"waiting_fraction", loader.values.last ? OrNull(loader.values.last->waits) : Json(nullptr)},
          {"batches_per_second", loader.values.last ? Number(RateNow(loader)) : Json(nullptr)}};
}

const char* StandingName(Standing standing) {
  switch (standing) {
    case Standing::kHeldUp:
      return "held_up";
    case Standing::kSlower:
      return "slower";
    case Standing::kInStep:
      return "in_step";
  }
  return "unknown";
}

}  // namespace

Json LoadersJson(const std::vector<LoaderReport>& loaders, std::optional<Bytes> storage_read) {
  Json list = Json::array();
  for (const LoaderReport& loader : loaders) list.push_back(LoaderJson(loader, storage_read));
  return list;
}

Json RanksJson(const std::vector<LoaderReport>& loaders) {
  const auto found = StandingOf(loaders);
  if (!found) return nullptr;
  return {{"ranks", found->ranks},
          {"standing", StandingName(found->standing)},
          {"slowest", found->slowest != nullptr ? StandingJson(*found->slowest) : Json(nullptr)},
          {"fastest", found->fastest != nullptr ? StandingJson(*found->fastest) : Json(nullptr)}};
}

Json SharedAdviceJson(const std::vector<LoaderReport>& loaders) {
  Json list = Json::array();
  for (const SharedAdvice& shared : SharedAdviceOf(loaders)) {
    list.push_back({{"name", shared.program},
                    {"processes", shared.processes},
                    {"workers", shared.workers},
                    {"prefetch_factor", shared.prefetch_factor},
                    {"advising", shared.advising}});
  }
  return list;
}

}  // namespace sluice::exporters
