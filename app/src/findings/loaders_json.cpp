#include "findings/loaders_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "findings/finding_text.h"
#include "findings/net_result.h"

namespace sluice::app {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json OrNull(const std::optional<Fraction>& value) {
  return value ? Json(value->value) : Json(nullptr);
}
Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json SettingJson(const LoaderSetting& setting) {
  return {{"workers", setting.workers},
          {"capacity_batches", setting.capacity},
          {"prefetch_factor", setting.workers > 0 ? Json(PrefetchFactor(setting)) : Json(nullptr)}};
}

Json WindowJson(const std::optional<WindowValues>& window) {
  if (!window) return nullptr;
  return {{"active_seconds", Seconds(window->active)},
          {"batches", window->batches},
          {"batches_per_second", window->rate},
          {"waiting_fraction", OrNull(window->waits)},
          {"cores", OrNull(window->cores)},
          {"fetch_busy_fraction", OrNull(window->fetch_busy)},
          {"fetch_off_cpu_fraction", OrNull(window->fetch_off)},
          {"fetch_queued_fraction", OrNull(window->fetch_queued)},
          {"sampler_busy_fraction", OrNull(window->sampler_busy)},
          {"pin_busy_fraction", OrNull(window->pin_busy)}};
}

std::string_view HeldName(HeldBecause held) {
  switch (held) {
    case HeldBecause::kNot:
      return "";
    case HeldBecause::kAdvise:
      return "advise";
    case HeldBecause::kRandomDraws:
      return "random_draws";
    case HeldBecause::kOrder:
      return "order";
    case HeldBecause::kUnknown:
      return "unknown_release";
    case HeldBecause::kWatching:
      return "watching";
    case HeldBecause::kWorkerId:
      return "worker_id";
    case HeldBecause::kFailed:
      return "failed";
  }
  return "unknown";
}

Json KnobsJson(const LoaderStory& loader) {
  Json knobs = Json::array();
  for (std::size_t i = 0; i < loader.end.size() && i < loader.start.size(); ++i) {
    const Knob& knob = loader.end[i];
    knobs.push_back({{"name", knob.name},
                     {"start", loader.start[i].value},
                     {"end", knob.value},
                     {"held", TextOrNull(std::string(HeldName(knob.held)))}});
  }
  return knobs;
}

Json EpochsJson(const std::vector<EpochTimes>& epochs) {
  Json list = Json::array();
  for (const EpochTimes& epoch : epochs) {
    list.push_back({{"epoch", epoch.epoch},
                    {"batches", epoch.batches},
                    {"seconds", Seconds(epoch.active)},
                    {"waiting_seconds", Seconds(epoch.waits)},
                    {"whole", epoch.whole},
                    {"trial", epoch.trial}});
  }
  return list;
}

Json SavedJson(const std::optional<Saved>& saved) {
  if (!saved) return nullptr;
  return {{"seconds", Seconds(saved->saved)}, {"of_seconds", Seconds(saved->of)}};
}

Json AdviceJson(const LoaderStory& loader) {
  const auto setting = WorthWriting(loader);
  if (!setting) return nullptr;
  Json advice = SettingJson(*setting);
  advice["predicted_batches_per_second"] =
      loader.advising ? Json(loader.values.advice->predicted) : Json(nullptr);
  return advice;
}

Json CostJson(const std::optional<CostValues>& cost) {
  if (!cost) return nullptr;
  return {{"step", cost->step},
          {"fetch_time_fraction", cost->share.value},
          {"seconds", Seconds(cost->each)},
          {"per", cost->per_row ? "row" : "batch"}};
}

Json LoaderJson(const LoaderStory& loader, const RunFacts& facts) {
  const LoaderValues& values = loader.values;
  const bool enough = EnoughBatches(values);
  return {{"name", loader.program},
          {"rank", OrNull(loader.rank)},
          {"pid", loader.pid},
          {"batches", values.batches},
          {"active_seconds", Seconds(values.active)},
          {"verdict", enough ? FindingName(values.finding) : FindingName(Finding::kUnknown)},
          {"sentence", enough ? TextOrNull(FindingText(loader, facts)) : Json(nullptr)},
          {"start", SettingJson(values.start)},
          {"end", SettingJson(values.end)},
          {"knobs", KnobsJson(loader)},
          {"first_window", WindowJson(values.first)},
          {"last_window", WindowJson(values.last)},
          {"saved", enough ? SavedJson(SavedBy(values)) : Json(nullptr)},
          {"advice", enough ? AdviceJson(loader) : Json(nullptr)},
          {"costliest_step", CostJson(values.cost)},
          {"epochs", EpochsJson(values.epochs)},
          {"notes", loader.notes}};
}

}  // namespace

Json LoadersJson(const std::vector<LoaderStory>& loaders, const RunFacts& facts) {
  Json list = Json::array();
  for (const LoaderStory& loader : Tellable(loaders, facts)) list.push_back(LoaderJson(loader, facts));
  return list;
}

}  // namespace sluice::app
