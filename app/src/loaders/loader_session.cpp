#include "loaders/loader_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findings/loader_values.h"
#include "loaders/crowd.h"
#include "sluice/base/clock.h"
#include "sluice/base/machine_limits.h"
#include "sluice/base/text.h"
#include "sluice/exporters/loader_check.h"
#include "sluice/probes/worker_threads.h"

namespace sluice::app {
namespace {

constexpr std::string_view kNote = "note: ";  // docs/telemetry-segment.md
constexpr std::chrono::seconds kRecent{3};
constexpr std::chrono::seconds kShown{10};
constexpr std::chrono::seconds kSettling{5};     // after a change, for a window to tell of what came after it
constexpr std::chrono::seconds kThreadLooks{3};  // between two: the kernel writes thousands of lines for each

const Decision* LastAdvice(const exporters::DecisionLog& log) {
  const auto found =
      std::find_if(log.entries().rbegin(), log.entries().rend(),
                   [](const exporters::LoggedDecision& e) { return e.fate == Fate::kAdvised; });
  return found == log.entries().rend() ? nullptr : &found->decision;
}

// As much of it as the loader can make use of.
exporters::AdviceValues AdviceFrom(const Decision& decision, const exporters::LoaderValues& values) {
  exporters::LoaderSetting setting = values.end;
  for (const KnobChange& change : decision.changes) {
    if (change.knob.kind == KnobKind::kWorkers) setting.workers = change.to;
    if (change.knob.kind == KnobKind::kCapacity) setting.capacity = change.to;
  }
  return {exporters::Sensible(setting, values), decision.predicted.per_second};
}

// What nobody has judged is not what was found. `trial` may be nullptr.
std::int64_t BeforeTrial(const Decision* trial, const Knob& knob) {
  if (trial == nullptr) return knob.value;
  const auto change = std::ranges::find(trial->changes, knob.id, &KnobChange::knob);
  return change == trial->changes.end() ? knob.value : change->from;
}

bool PutsBack(const Decision& decision, const std::vector<Knob>& knobs) {
  const auto as_before = [&](const KnobChange& change) {
    const auto knob = std::ranges::find(knobs, change.knob, &Knob::id);
    return knob != knobs.end() && knob->value == change.to;
  };
  return !decision.changes.empty() && std::ranges::all_of(decision.changes, as_before);
}

}  // namespace

LoaderSession::LoaderSession(LoaderPlant plant, TuneMode mode)
    : mode_(mode),
      plant_(std::move(plant)),
      controller_(MakeController(mode)),
      agent_(plant_, controller_.get()) {}

Result<std::unique_ptr<LoaderSession>> LoaderSession::Open(const std::string& path, TuneMode mode,
                                                           std::optional<double> cores,
                                                           const MachineMap& machine) {
  auto reader = probes::SegmentReader::Open(path);
  if (!reader) return std::unexpected(reader.error());
  auto requester = probes::KnobRequester::Open(path);
  if (!requester) return std::unexpected(requester.error());
  probes::SamplerOptions sampling;
  sampling.cores = cores;
  LoaderPlant plant(probes::Sampler(std::move(*reader), sampling), std::move(*requester), machine);
  return std::unique_ptr<LoaderSession>(new LoaderSession(std::move(plant), mode));
}

void LoaderSession::StartFrom(const TunedLoader& found) {
  Decision decision;
  for (const Knob& knob : plant_.knobs()) {
    const auto wanted = std::ranges::find(found.knobs, knob.name, &TunedKnob::name);
    if (wanted == found.knobs.end() || knob.holder == Holder::kUser) continue;
    if (knob.takes_effect == TakesEffect::kNextRun) continue;
    const std::int64_t to = std::clamp(wanted->value, knob.min, knob.max);
    if (to != knob.value) decision.changes.push_back({knob.id, knob.value, to});
  }
  started_from_ = decision.changes;
  if (!decision.changes.empty()) plant_.Act(decision);
}

bool LoaderSession::Step() {
  if (over_) return false;
  const Decision& decided = agent_.Step();
  if (!decided.changes.empty() && !decided.advice) settled_.reset();
  if (mode_ == TuneMode::kTune) FollowTheEpochs();
  epochs_.Add(agent_.now(), plant_.epochs().Trying(), plant_.reader().LastEpoch());
  queued_.Look(agent_.now().at, static_cast<int>(identity().pid));
  agent_.TellNews([this](MonoTime at, const std::string& json) { plant_.LogDecision(at, json); });
  over_ = agent_.now().finished || !plant_.reader().Alive();
  return !over_;
}

SteeredPipeline LoaderSession::Steered() {
  return {.name = identity().program,
          .rank = identity().rank,
          .pid = static_cast<int>(identity().pid),
          .run_start = identity().started,
          .agent = &agent_,
          .knobs = [this]() -> const std::vector<Knob>& { return plant_.knobs(); },
          .set_holder = [this](KnobId knob, Holder holder) { return plant_.SetHolder(knob, holder); },
          .bounds = &plant_.bounds(),
          .over = [this] { return over_; }};
}

// Whole epochs change all knobs or none.
bool LoaderSession::InUsersHands() const {
  const auto is_pinned = [](const Knob& knob) {
    return knob.holder == Holder::kUser && knob.held == HeldBecause::kNot;
  };
  return agent_.held() || !plant_.bounds().all().empty() || std::ranges::any_of(plant_.knobs(), is_pinned);
}

void LoaderSession::FollowTheEpochs() {
  if (InUsersHands()) return;
  const Decision decision = plant_.epochs().Decide();
  const bool trying = plant_.epochs().Trying();
  if (trying && !settled_) settled_ = {agent_.LastSpan(), agent_.now().knobs, std::nullopt};
  if (!trying && settled_) {
    if (!settled_->until && PutsBack(decision, settled_->knobs))
      settled_->until = agent_.now().at + kSettling;
    else if (!settled_->until || agent_.now().at >= *settled_->until)
      settled_.reset();
  }
  if (!decision.changes.empty()) agent_.Adopt(decision);
}

const std::vector<Knob>& LoaderSession::knobs() const {
  return settled_ ? settled_->knobs : agent_.now().knobs;
}

void LoaderSession::LookBack() {
  if (!over_) agent_.LookBack();
  if (settled_) FollowTheEpochs();
  epochs_.Add(agent_.now(), plant_.epochs().Trying(), plant_.reader().LastEpoch());
  epochs_.End();
  over_ = true;
}

autotune::Claim LoaderSession::claim() const {
  autotune::Claim claim = ClaimOf(agent_.Before(kRecent), agent_.now(), static_cast<int>(identity().pid));
  if (!over_) claim.held.count += plant_.worker_memory().count * read_workers_;
  claim.active = claim.active && !over_;
  return claim;
}

void LoaderSession::LookAtThreads(double cores, bool limited) {
  const MonoTime now = MonoNow();
  if (now < look_at_threads_) return;
  look_at_threads_ = now + kThreadLooks;
  std::vector<probes::WorkerThreads> workers;
  for (const int pid : plant_.WorkerProcesses()) {
    auto threads = probes::ReadWorkerThreads(pid);
    if (!threads) continue;
    // All workers of a loader load the same.
    const bool named =
        std::ranges::any_of(workers, [](const auto& worker) { return !worker.libraries.empty(); });
    if (!named && probes::LibraryThreads(*threads) > 0)
      threads->libraries = probes::ReadThreadedLibraries(pid);
    workers.push_back(std::move(*threads));
  }
  if (!workers.empty()) crowd_ = FindCrowd(workers, cores, limited);
}

exporters::LoaderNow LoaderSession::Now() const {
  const exporters::WindowValues window = ValuesOf({agent_.Before(kShown), agent_.now()});
  const ConsumerReading& consumer = agent_.now().consumer;
  return {.program = identity().program,
          .epoch = agent_.now().epoch,
          .rate = window.rate,
          .waits = window.waits,
          .active = consumer.busy + consumer.starved};
}

std::optional<exporters::WholeEpochs> LoaderSession::WholeEpochsOf(
    const exporters::LoaderSetting& start, const exporters::LoaderSetting& end) const {
  const auto own = plant_.epochs().SecondsUnder({start.workers, start.capacity});
  const auto now = plant_.epochs().SecondsUnder({end.workers, end.capacity});
  if (!own || !now) return std::nullopt;
  return exporters::WholeEpochs{*own, *now};
}

exporters::LoaderValues LoaderSession::Values(double machine_cores) const {
  const double cores = std::min(machine_cores, plant_.process_cores());
  const Snapshot& end = agent_.now();
  exporters::LoaderValues values;
  values.batches = end.consumer.items;
  values.cores = cores;
  values.active = end.consumer.busy + end.consumer.starved;
  values.start = SettingOf(agent_.first().knobs);
  values.end = SettingOf(knobs());
  if (end.budget.memory.count > 0) values.memory = end.budget.memory;
  if (const CpuQuota* quota = end.machine ? ThrottlingQuota(*end.machine) : nullptr)
    values.throttled = fmt::format("{}, in {} of its periods", ThrottledText(*end.machine, *quota),
                                   FormatPercent(quota->throttled_share.value_or(Fraction{})));
  values.worker_memory = plant_.worker_memory();
  const auto measure = [&](const Span& span) {
    exporters::WindowValues window = ValuesOf(span);
    window.trainer_queued = queued_.Queued(span.from.at, span.to.at);
    return window;
  };
  if (const auto first = agent_.FirstSpan()) values.first = measure(*first);
  const auto last = settled_ ? settled_->last : agent_.LastSpan();
  if (last) values.last = measure(*last);
  values.epochs = epochs_.epochs();
  for (const exporters::EpochTimes& epoch : values.epochs) {
    const auto batches = static_cast<std::uint64_t>(std::llround(epoch.batches));
    values.epoch_batches = std::max(values.epoch_batches.value_or(0), batches);
  }
  if (const std::uint64_t length = plant_.reader().Outlook().items; length > 0) values.epoch_batches = length;
  values.cost = CostliestStep(end);
  values.whole_epochs = WholeEpochsOf(values.start, values.end);
  values.own_by_costs = plant_.epochs().OwnByPresentCosts();
  values.longer_first_start = plant_.epochs().LongerFirstStart();
  values.tried_in_vain = plant_.epochs().TriedInVain();
  values.dear_start = plant_.epochs().TooDearStart();
  values.short_of_memory = agent_.verdict().limit == Limit::kMemory;
  if (values.last) values.finding = FindLimit(*values.last, cores, values.short_of_memory);
  if (const Decision* advice = LastAdvice(agent_.decisions())) values.advice = AdviceFrom(*advice, values);
  return values;
}

std::vector<std::string> LoaderSession::Notes() const {
  std::vector<std::string> notes;
  for (const probes::LogLine& event : plant_.reader().Events()) {
    if (!event.text.starts_with(kNote)) continue;
    std::string note = event.text.substr(kNote.size());
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

TunedLoader LoaderSession::Found() const {
  TunedLoader found{.program = identity().program, .rank = identity().rank, .knobs = {}, .rate = 0};
  const auto instead = plant_.epochs().Instead();
  const Decision* trial = agent_.decisions().OnTrial();
  for (const Knob& knob : knobs()) {
    if (knob.id.kind == KnobKind::kPlacement) continue;  // the next machine has other nodes
    const bool workers = knob.id.kind == KnobKind::kWorkers;
    found.knobs.push_back({knob.name, !instead  ? BeforeTrial(trial, knob)
                                      : workers ? instead->workers
                                                : instead->capacity});
  }
  const auto last = agent_.LastWindow();
  if (last && last->items) found.rate = last->items->per_second;
  return found;
}

}  // namespace sluice::app
