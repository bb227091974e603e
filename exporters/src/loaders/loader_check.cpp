#include "sluice/exporters/loader_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/base/text.h"

namespace sluice::exporters {
namespace {

constexpr double kOften = 0.05;
constexpr double kSlack = 0.02;           // of a share: clocks are read one after another
constexpr double kCoresSlack = 1.05;      // the same, of a use of cores
constexpr double kClear = 0.03;           // a gain worth a word
constexpr double kShorter = 0.05;         // the same, of whole epochs
constexpr double kOverMost = 1.1;         // of what a loop that never waits could take
constexpr double kNearlyAllCores = 0.85;  // a little less than where the finding begins
constexpr double kBusy = 0.75;            // the same
constexpr std::uint64_t kFew = 4;         // batches
constexpr double kMostlyOff = 0.5;        // of the busy time
constexpr double kFallen = 0.75;          // of what it was: more than what waits for each other

class Checker {
 public:
  explicit Checker(const LoaderValues& values) : v_(values) {}

  std::vector<Contradiction> Check() {
    if (v_.first) CheckWindow(*v_.first, Said::kFirst);
    if (v_.last) CheckWindow(*v_.last, Said::kLast);
    CheckComparable();
    CheckCores();
    CheckFinding();
    CheckAdvice();
    CheckCost();
    CheckEpochs();
    return std::move(found_);
  }

 private:
  template <typename... Arguments>
  void Say(Said what, fmt::format_string<Arguments...> why, Arguments&&... arguments) {
    found_.push_back({what, fmt::format(why, std::forward<Arguments>(arguments)...)});
  }

  void CheckShare(const std::optional<Fraction>& share, Said what, const char* name) {
    if (share && !(share->value >= 0 && share->value <= 1))
      Say(what, "{}: a share of {:.2f}", name, share->value);
  }

  void CheckWindow(const WindowValues& window, Said what) {
    CheckShare(window.waits, what, "waits");
    CheckShare(window.fetch_busy, what, "fetch busy");
    CheckShare(window.fetch_off, what, "fetch off the cores");
    CheckShare(window.fetch_queued, what, "fetch queued");
    CheckShare(window.trainer_queued, what, "trainer queued");
    CheckShare(window.sampler_busy, what, "sampler busy");
    CheckShare(window.pin_busy, what, "pin busy");
    const double off =
        window.fetch_off.value_or(Fraction{}).value + window.fetch_queued.value_or(Fraction{}).value;
    if (window.fetch_busy && off > window.fetch_busy->value + kSlack)
      Say(what, "fetch: {:.2f} not on a core of {:.2f} busy", off, window.fetch_busy->value);
    if (!std::isfinite(window.rate) || window.rate < 0) Say(what, "a rate of {}", window.rate);
    if (window.active <= Nanos(0)) Say(what, "no time");
  }

  // A change is told as "before -> after": both in full, one setting each, and neither with the very first
  // start.
  void CheckComparable() {
    if (!v_.first || !v_.last) return;
    if (v_.first->setting != v_.start) Say(Said::kFirst, "the first window is not of the script's settings");
    if (v_.first->batches < kFew || v_.last->batches < kFew) Say(Said::kFirst, "too few batches to compare");
    if (v_.first->from_start && !v_.last->from_start)
      Say(Said::kFirst, "only the first window has a start in it");
    if (!v_.last->setting) Say(Said::kComparison, "the last window is of several settings");
  }

  void CheckCores() {
    for (const auto& window : {v_.first, v_.last}) {
      if (window && window->cores && *window->cores > kCoresSlack * v_.cores)
        Say(Said::kCores, "{:.2f} of {:g} cores", *window->cores, v_.cores);
    }
  }

  void CheckFinding() {
    if (v_.finding == Finding::kUnknown) return;
    if (!v_.last || !v_.last->waits) return Say(Said::kFinding, "a finding without a window");
    const WindowValues& window = *v_.last;
    if (!window.setting || *window.setting != v_.end)
      Say(Said::kFinding, "the finding is of another setting than the report shows");
    const double waits = window.waits->value;
    if (v_.finding == Finding::kLoop ? waits >= kOften : waits < kOften)
      Say(Said::kFinding, "the loop waits {:.2f} of its time", waits);
    if (v_.finding == Finding::kOtherWork && !OthersHaveCores(window))
      Say(Said::kFinding, "nothing shows that others have the cores");
    if (v_.finding == Finding::kBursts && OthersHaveCores(window))
      Say(Said::kFinding, "bursts while others use the cores");
    const double cores = window.cores.value_or(0);
    if (v_.finding == Finding::kCores && cores < kNearlyAllCores * v_.cores)
      Say(Said::kFinding, "cores limit with {:.2f} of {:g} in use", cores, v_.cores);
    if (v_.finding == Finding::kCores && cores > kCoresSlack * v_.cores)
      Say(Said::kFinding, "{:.2f} of {:g} cores", cores, v_.cores);
    CheckSerial(Finding::kSampler, window.sampler_busy, "sampler");
    CheckSerial(Finding::kPin, window.pin_busy, "pin thread");
    const bool fetch = v_.finding == Finding::kFetchComputes || v_.finding == Finding::kFetchSleeps;
    if (fetch && window.fetch_busy.value_or(Fraction{}).value < kBusy && !WorkersFallShort(window))
      Say(Said::kFinding, "fetching limits with workers busy {:.2f}",
          window.fetch_busy.value_or(Fraction{}).value);
    if (v_.finding == Finding::kNoWorkers && v_.end.workers != 0)
      Say(Said::kFinding, "no workers, and there are {}", v_.end.workers);
  }

  void CheckSerial(Finding finding, const std::optional<Fraction>& busy, const char* name) {
    if (v_.finding == finding && busy.value_or(Fraction{}).value < kBusy)
      Say(Said::kFinding, "the {} limits, busy {:.3f}", name, busy.value_or(Fraction{}).value);
  }

  void CheckAdvice() {
    if (!v_.advice) return;
    const AdviceValues& advice = *v_.advice;
    if (advice.setting == v_.end) Say(Said::kAdvice, "what is advised is there already");
    if (Sensible(advice.setting, v_) != advice.setting)
      Say(Said::kAdvice, "{} workers and {} batches waiting are more than it can use", advice.setting.workers,
          advice.setting.capacity);
    if (!v_.last || v_.last->rate <= 0) return Say(Said::kAdvice, "advice without a rate to compare with");
    if (advice.predicted < (1 + kClear) * v_.last->rate)
      Say(Said::kAdvice, "{} batches/s predicted, {} measured", FormatRate(advice.predicted),
          FormatRate(v_.last->rate));
    const double working = 1 - v_.last->waits.value_or(Fraction{}).value;
    if (working > 0 && advice.predicted > kOverMost * v_.last->rate / working)
      Say(Said::kAdvice, "{} batches/s predicted, a loop that never waits would take {}",
          FormatRate(advice.predicted), FormatRate(v_.last->rate / working));
  }

  void CheckCost() {
    if (v_.cost) CheckShare(v_.cost->share, Said::kCost, "cost");
  }

  void CheckEpochs() {
    Nanos sum{0};
    double batches = 0;
    for (const EpochTimes& epoch : v_.epochs) {
      sum += epoch.active;
      batches += epoch.batches;
      if (epoch.active < Nanos(0) || epoch.waits > epoch.active + std::chrono::milliseconds(1))
        Say(Said::kEpochs, "epoch {} waits longer than it lasts", epoch.epoch);
    }
    if (Seconds(sum) > (1 + kSlack) * Seconds(v_.active))
      Say(Said::kEpochs, "epochs are longer than the run");
    if (batches > static_cast<double>(v_.batches) + 1)
      Say(Said::kEpochs, "epochs have more batches than the run");
  }

  const LoaderValues& v_;
  std::vector<Contradiction> found_;
};

bool Has(const std::vector<Contradiction>& found, Said what) {
  return std::ranges::find(found, what, &Contradiction::what) != found.end();
}

bool RowsCompute(const LoaderValues& values) {
  const auto off = values.last ? OffTheCores(*values.last) : std::nullopt;
  return off && off->value < kMostlyOff;
}

std::int64_t MostWorkers(const LoaderValues& values) {
  auto most = std::numeric_limits<std::int64_t>::max();
  if (values.epoch_batches)
    most = std::min<std::int64_t>(most, static_cast<std::int64_t>(*values.epoch_batches));
  if (RowsCompute(values)) most = std::min<std::int64_t>(most, std::llround(std::ceil(values.cores)));
  if (values.memory && values.worker_memory.count > 0)
    most = std::min(most, values.memory->count / values.worker_memory.count);
  return std::max<std::int64_t>(most, 1);
}

// The whole run, where no epoch has been the script's own: by its first batches, and where it has several
// epochs by what rows and steps take now.
bool ShorterOverall(const LoaderValues& values) {
  const bool told = values.whole_epochs || (!values.epochs.empty() && !values.epochs.front().changed);
  const auto own = OwnSecondsPerBatch(values);
  if (told || !own || (!values.first && !values.own_at_first)) return false;
  if (values.epochs.size() > 1 && !values.own_by_costs) return false;
  return Seconds(values.active) < (1 - kShorter) * static_cast<double>(values.batches) * *own;
}

}  // namespace

std::vector<Contradiction> CheckReport(const LoaderValues& values) {
  return Checker(values).Check();
}

LoaderSetting Sensible(LoaderSetting setting, const LoaderValues& values) {
  if (setting.workers == 0) return setting;
  setting.workers = std::min(setting.workers, std::max(MostWorkers(values), values.start.workers));
  if (!values.epoch_batches) return setting;
  const auto batches = static_cast<std::int64_t>(*values.epoch_batches);
  setting.capacity = std::clamp<std::int64_t>(batches - setting.workers + 1, 1, setting.capacity);
  return setting;
}

std::optional<double> OwnSecondsPerBatch(const LoaderValues& values) {
  if (values.whole_epochs) return values.whole_epochs->own;
  std::optional<double> own;
  const auto epochs = EpochsOf(values.epochs);
  if (values.first && values.first->rate > 0)
    own = 1 / values.first->rate;
  else if (values.own_at_first)
    own = values.own_at_first;
  else if (epochs && values.epochs.front().batches > 0)
    own = Seconds(epochs->first - values.longer_first_start) / values.epochs.front().batches;
  return own && values.own_by_costs ? std::min(*own, *values.own_by_costs) : own;
}

bool CostsHaveFallen(const LoaderValues& values) {
  return values.own_by_costs && values.first && *values.own_by_costs * values.first->rate < kFallen;
}

bool Helped(const LoaderValues& values) {
  const bool compared = values.first && values.last;
  const double now = values.own_by_costs ? *values.own_by_costs : std::numeric_limits<double>::infinity();
  const auto epochs = EpochsOf(values.epochs);
  if (!epochs && !values.whole_epochs) {
    return compared ? values.last->rate > (1 + kClear) * std::max(values.first->rate, 1 / now)
                    : ShorterOverall(values);
  }
  // Both are said: nobody would believe the rest.
  if (epochs && !values.epochs.front().changed && epochs->last > epochs->first) return false;
  // A first epoch is also longer for reading what later ones find in memory.
  const double batches = values.epochs.empty() ? 0 : values.epochs.front().batches;
  const bool shorter =
      values.whole_epochs
          ? values.whole_epochs->now < (1 - kShorter) * values.whole_epochs->own
          : Seconds(epochs->last) <
                (1 - kShorter) * std::min(Seconds(epochs->first - values.longer_first_start), now * batches);
  return (shorter || ShorterOverall(values)) && (!compared || values.last->rate > values.first->rate);
}

LoaderValues OnlyWhatHolds(LoaderValues values) {
  const auto found = CheckReport(values);
  if (values.first && values.last && !values.first->from_start && !Has(found, Said::kFirst))
    values.own_at_first = 1 / values.first->rate;
  if (Has(found, Said::kFirst) || Has(found, Said::kComparison)) values.first.reset();
  if (Has(found, Said::kFinding) || Has(found, Said::kLast)) values.finding = Finding::kUnknown;
  if (Has(found, Said::kAdvice)) values.advice.reset();
  if (Has(found, Said::kCost)) values.cost.reset();
  if (Has(found, Said::kEpochs)) values.epochs.clear();
  if (Has(found, Said::kCores)) {
    if (values.first) values.first->cores.reset();
    if (values.last) values.last->cores.reset();
  }
  if (Has(found, Said::kLast)) values.last.reset();
  return values;
}

}  // namespace sluice::exporters
