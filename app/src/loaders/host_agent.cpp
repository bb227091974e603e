#include "loaders/host_agent.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include "control/steering.h"
#include "loaders/loader_metrics.h"
#include "loaders/loader_session.h"
#include "loaders/segment_arrivals.h"
#include "loaders/tuned_file.h"
#include "loop/core_budget.h"
#include "loop/ticker.h"
#include "result/results.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/machine_losses.h"
#include "sluice/probes/machine_shape.h"
#include "sluice/probes/memory_meter.h"
#include "sluice/probes/span_layout.h"
#include "version.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::seconds kBudgetAge{1};
constexpr std::uint32_t kRecordedWhole = 0;  // no recorded pipeline has this number
constexpr double kWorkerGrowth =
    1.5;                           // a worker that has just been forked shares pages that it will write to
constexpr double kOfLimit = 0.97;  // what is read now and then may be more between two readings

// The new thread inherits the mask: no signal is ever delivered to it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

class HostAgent::Watcher {
 public:
  explicit Watcher(HostAgentOptions options)
      : options_(std::move(options)),
        machine_(probes::ReadMachineBudget(0)),
        shape_(probes::ReadMachineShape()),
        progress_(options_.progress, started_) {}

  void Start();
  void Stop();
  void EndMetrics(bool wait);
  [[nodiscard]] std::vector<exporters::LoaderReport> Reports() const;

 private:
  void Main();
  void Turn();
  void FindLoaders();
  void FindTheLast();
  [[nodiscard]] std::unique_ptr<LoaderSession> Open(const std::string& path) const;
  void Adopt(const std::string& path, std::unique_ptr<LoaderSession> loader);
  void ReadEarlier();
  void ReadMap();
  void RenewMachine();
  void MeasureMemory();
  void RenewMemoryLimit();
  void ShareTheHost();
  void ShareOut();
  void Save() const;
  void ShowProgress();
  void StartMetrics();
  void PublishMetrics();
  void StartRecording();
  void StartFlightRecorder();
  void StartSteering();
  void Record();
  [[nodiscard]] double Granted() const;
  [[nodiscard]] double Cores() const;

  const HostAgentOptions options_;
  probes::MachineBudget machine_;
  double granted_ = machine_.cores;  // of the machine, whatever others take of them at the moment
  probes::MachineLosses losses_;
  MonoTime machine_at_ = MonoNow();
  const MachineShape shape_;
  std::optional<CoreBudget> budget_;  // beside other runs
  MachineMap map_;                    // of a machine with one node, or where nothing is tuned: empty
  std::optional<TunedFile> earlier_;
  std::set<std::string> known_;  // segments, ours or not
  std::vector<std::unique_ptr<LoaderSession>> loaders_;
  probes::MemoryMeter meter_;
  const MonoTime started_ = MonoNow();
  ProgressLine progress_;
  std::unique_ptr<MetricsOutlet> metrics_;
  std::unique_ptr<Recording> recording_;
  std::unique_ptr<FlightRecorder> flight_;
  std::unique_ptr<Steering> steering_;
  std::map<const LoaderSession*, std::uint32_t> recorded_as_;
  std::map<const LoaderSession*, std::string> segment_of_;
  std::optional<Bytes> wanted_, limit_;  // memory of the whole run: as a rule, and now
  std::thread thread_;
  Ticker ticker_{kTick};
  std::optional<SegmentArrivals> arrivals_;  // its thread uses what stands before it
};

void HostAgent::Watcher::Start() {
  ReadEarlier();
  ReadMap();
  budget_.emplace(options_.folder, options_.command, map_.nodes);
  if (!budget_->why_alone().empty()) Warn(budget_->why_alone() + "; cores are not shared with other runs");
  const SignalsBlocked blocked;
  StartMetrics();
  StartRecording();
  StartFlightRecorder();
  StartSteering();
  arrivals_.emplace(options_.folder, [this](const std::string& path) { return Open(path); });
  arrivals_->Start();
  thread_ = std::thread([this] { Main(); });
}

// Without it nothing is placed.
void HostAgent::Watcher::ReadMap() {
  if (options_.mode != TuneMode::kTune) return;
  auto map = ReadMachineMap(options_.near);
  if (!map) return Warn("--near: " + map.error().message + "; workers are not placed");
  map_ = std::move(*map);
}

void HostAgent::Watcher::Stop() {
  if (!thread_.joinable()) return;
  ticker_.Stop();
  thread_.join();
  FindTheLast();
  steering_.reset();
  for (const auto& loader : loaders_) loader->LookBack();
  if (metrics_ != nullptr) PublishMetrics();
  Record();
  if (recording_) recording_->Close("ended");
  if (flight_ != nullptr) flight_->Close();
  if (!options_.save.empty()) Save();
  budget_.reset();  // others may have its cores; this process may end without destructors
}

void HostAgent::Watcher::EndMetrics(bool wait) {
  if (metrics_ != nullptr) metrics_->End(wait);
}

void HostAgent::Watcher::Main() {
  pthread_setname_np(pthread_self(), "sluice-agent");
  do {
    Turn();
  } while (ticker_.Wait());
}

void HostAgent::Watcher::Turn() {
  FindLoaders();
  RenewMachine();
  MeasureMemory();
  ShareOut();
  if (steering_ != nullptr) steering_->Serve();
  for (const auto& loader : loaders_) loader->Step();
  if (steering_ != nullptr) steering_->Tell();
  if (metrics_ != nullptr && metrics_->Due(MonoNow())) PublishMetrics();
  Record();
  if (flight_ != nullptr) flight_->Look();
  ShowProgress();
}

// A port that somebody else has is no reason not to train.
void HostAgent::Watcher::StartMetrics() {
  auto outlet = MetricsOutlet::Open(options_.metrics);
  if (!outlet) return Warn("no metrics: " + outlet.error().message);
  metrics_ = std::move(*outlet);
  if (metrics_ != nullptr && !options_.quiet) metrics_->Announce();
}

void HostAgent::Watcher::PublishMetrics() {
  std::vector<MeasuredLoader> measured;
  for (const auto& loader : loaders_) {
    const probes::SegmentIdentity& who = loader->identity();
    const Agent& agent = loader->agent();
    measured.push_back({who.program, who.rank, static_cast<int>(who.pid), loader->over(), &agent.now(),
                        &agent.decisions(), &agent.verdict(),
                        flight_ ? flight_->ExemplarsOf(segment_of_.at(loader.get())) : nullptr,
                        WorkersOf(loader->plant().reader(), agent.now(), options_.metrics)});
  }
  // This process does nothing but watch and tune.
  const exporters::RunIdentity run{"wrap", options_.run_id, kVersion};
  const auto agent = FiguresOfAgent(options_.mode, ReadClock(CLOCK_PROCESS_CPUTIME_ID));
  metrics_->Publish(MonoNow(), run, exporters::Expose(run, agent, MetricsOf(measured)));
}

// A file that cannot be written is no reason not to train.
void HostAgent::Watcher::StartRecording() {
  auto recording = Recording::Start(options_.record,
                                    {.verb = "wrap", .name = options_.command, .run_id = options_.run_id});
  if (!recording) return Warn("nothing is recorded: " + recording.error().message);
  recording_ = std::move(*recording);
}

// Nor is this.
void HostAgent::Watcher::StartFlightRecorder() {
  auto flight = FlightRecorder::Open(options_.flight);
  if (!flight) return Warn(flight.error().message);
  flight_ = std::move(*flight);
}

// Nor is a socket that cannot be made.
void HostAgent::Watcher::StartSteering() {
  if (!options_.control) return;
  auto steering = Steering::Open(options_.folder, options_.door, {.verb = "wrap", .run_id = options_.run_id},
                                 options_.mode);
  if (!steering) return Warn(steering.error().message + "; the command runs without it");
  steering_ = std::move(*steering);
  if (steering_ != nullptr && !options_.quiet) steering_->Announce();
}

// A loader that is over has had its last look before.
void HostAgent::Watcher::Record() {
  if (recording_ == nullptr) return;
  for (const auto& loader : loaders_) {
    const probes::SegmentIdentity& who = loader->identity();
    auto known = recorded_as_.find(loader.get());
    if (known != recorded_as_.end() && known->second == kRecordedWhole) continue;
    if (known == recorded_as_.end()) {
      const std::uint32_t number = recording_->Add(
          {.name = who.program, .rank = who.rank, .pid = static_cast<int>(who.pid), .started = who.started});
      known = recorded_as_.emplace(loader.get(), number).first;
    }
    recording_->Note(known->second, loader->agent(), loader->plant().reader().Events(), loader->over());
    if (loader->over()) known->second = kRecordedWhole;
  }
}

void HostAgent::Watcher::ShowProgress() {
  const MonoTime now = MonoNow();
  if (!progress_.Due(now)) return;
  const auto before = progress_.Before(LookAtStandardError(), WallNow());
  if (!before) return;
  std::vector<exporters::LoaderNow> loaders;
  for (const auto& loader : loaders_) {
    if (!loader->over()) loaders.push_back(loader->Now());
  }
  const std::string text = exporters::ProgressText(now - started_, loaders);
  if (text.empty()) return;
  std::fprintf(stderr, "%ssluice: %s\n", before->c_str(), text.c_str());
  progress_.Wrote(now, WallNow());
}

void HostAgent::Watcher::FindLoaders() {
  if (arrivals_) {
    for (auto& [path, loader] : arrivals_->Take()) Adopt(path, std::move(loader));
  }
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(options_.folder, error)) {
    if (!file.is_regular_file(error) || file.path().extension() == probes::segment::kSpansSuffix) continue;
    if (!known_.contains(file.path())) Adopt(file.path(), Open(file.path()));
  }
}

// What came after the last turn.
void HostAgent::Watcher::FindTheLast() {
  const std::size_t known = loaders_.size();
  FindLoaders();
  arrivals_.reset();
  for (std::size_t i = known; i < loaders_.size(); ++i) loaders_[i]->Step();
}

std::unique_ptr<LoaderSession> HostAgent::Watcher::Open(const std::string& path) const {
  auto loader = LoaderSession::Open(path, options_.mode, options_.cores, map_);
  return loader ? std::move(*loader) : nullptr;
}

// nullptr: a segment that is still being made is looked at again.
void HostAgent::Watcher::Adopt(const std::string& path, std::unique_ptr<LoaderSession> loader) {
  if (loader == nullptr || !known_.insert(path).second) return;
  const probes::SegmentIdentity& who = loader->identity();
  if (who.run_id != options_.run_id) return;
  const TunedLoader* found = earlier_ ? earlier_->For(who.program, who.rank) : nullptr;
  if (found != nullptr && options_.mode == TuneMode::kTune) loader->StartFrom(*found);
  loaders_.push_back(std::move(loader));
  segment_of_[loaders_.back().get()] = path;
  if (flight_ != nullptr) flight_->Follow(path);
  if (steering_ != nullptr) steering_->Add(loaders_.back()->Steered());
}

void HostAgent::Watcher::ReadEarlier() {
  if (options_.load.empty()) return;
  auto file = ReadTuned(options_.load);
  if (!file) return Warn(file.error().message + "; tuning starts from the script's settings");
  const std::string why = WhyNotHere(*file, shape_.cpu, Granted());
  if (!why.empty()) return Warn(options_.load + ": " + why + "; tuning starts from the script's settings");
  earlier_ = std::move(*file);
}

double HostAgent::Watcher::Granted() const {
  return options_.cores ? std::min(*options_.cores, granted_) : granted_;
}

double HostAgent::Watcher::Cores() const {
  const double most = std::min(Granted(), machine_.cores);
  const auto shared = budget_ ? budget_->shared() : std::nullopt;
  return shared ? std::min(most, shared->cores) : most;
}

// A quota may change while the run goes on.
void HostAgent::Watcher::RenewMachine() {
  const MonoTime now = MonoNow();
  if (now - machine_at_ < kBudgetAge) return;
  machine_ = probes::ReadMachineBudget(0);
  granted_ = machine_.cores;
  losses_.Narrow(now, machine_);
  machine_at_ = now;
}

void HostAgent::Watcher::MeasureMemory() {
  std::set<int> processes;
  for (const auto& loader : loaders_) {
    if (loader->over()) continue;
    processes.insert(static_cast<int>(loader->identity().pid));
    for (const int worker : loader->plant().WorkerProcesses()) processes.insert(worker);
  }
  if (processes.empty() || !meter_.Update(MonoNow(), {processes.begin(), processes.end()})) return;
  RenewMemoryLimit();
  for (const auto& loader : loaders_) {
    if (loader->over()) continue;
    loader->LookAtThreads(Cores(), options_.tune_threads);
    const std::vector<int> workers = loader->plant().WorkerProcesses();
    loader->NoteReadWorkers(workers.size());
    if (const auto own = meter_.GreatestOwn(workers)) {
      loader->plant().NoteWorkerMemory({std::llround(kWorkerGrowth * static_cast<double>(own->count))});
    }
  }
}

// Settled at the first look, and less where less than that is left.
void HostAgent::Watcher::RenewMemoryLimit() {
  const Bytes held = meter_.proportional();
  if (!wanted_) {
    const std::int64_t most =
        options_.memory ? options_.memory->count : held.count + machine_.memory_available.count / 2;
    wanted_ = limit_ = Bytes{std::llround(kOfLimit * static_cast<double>(most))};
  }
  const auto left = MemoryLeft(machine_.limits);
  if (wanted_ && limit_ && left) limit_ = probes::MemoryThatFits(*wanted_, *limit_, held, *left);
}

// Several loaders of one process: each knows of its own workers and of the process.
void HostAgent::Watcher::ShareTheHost() {
  std::map<int, const LoaderSession*> largest;  // by process
  CoresUsed used{.at = MonoNow()};
  for (const auto& loader : loaders_) {
    if (loader->over()) continue;
    const Snapshot& now = loader->agent().now();
    const LoaderSession*& most = largest[static_cast<int>(loader->identity().pid)];
    if (most == nullptr || now.process_cpu > most->agent().now().process_cpu) most = loader.get();
    used.workers = Sum(used.workers, UsedBy(now).workers);
    used.queued = Sum(used.queued, UsedBy(now).queued);
    used.idle = std::max(used.idle, now.idle.value_or(Nanos(0)));
    used.starved = Sum(used.starved, UsedBy(now).starved);
  }
  for (const auto& [process, loader] : largest)
    used.process = Sum(used.process, loader->agent().now().process_cpu);
  used.consumers = static_cast<int>(largest.size());
  if (budget_ && !largest.empty()) budget_->Note(used, machine_.limits);
}

void HostAgent::Watcher::ShareOut() {
  ShareTheHost();
  std::vector<autotune::Claim> claims;
  claims.reserve(loaders_.size());
  for (const auto& loader : loaders_) claims.push_back(loader->claim());
  const auto cores = autotune::ShareCores(Cores(), claims);
  std::vector<Bytes> memory;
  if (limit_) memory = autotune::ShareMemory(*limit_, meter_.proportional(), claims);
  for (std::size_t i = 0; i < loaders_.size(); ++i) {
    loaders_[i]->plant().Grant(cores[i], limit_ ? std::optional(memory[i]) : std::nullopt);
  }
}

void HostAgent::Watcher::Save() const {
  TunedFile file{.cpu = shape_.cpu, .cores = Granted(), .loaders = {}};
  for (const auto& loader : loaders_) {
    if (loader->agent().now().consumer.items > 0) file.loaders.push_back(loader->Found());
  }
  if (file.loaders.empty()) return Warn(options_.save + ": not written, no loader was measured");
  if (const auto written = exporters::WriteFile(options_.save, TunedToml(file)); !written)
    Warn(written.error().message);
}

std::vector<exporters::LoaderReport> HostAgent::Watcher::Reports() const {
  std::vector<exporters::LoaderReport> reports;
  for (const auto& loader : loaders_) {
    const Agent& agent = loader->agent();
    reports.push_back({.program = loader->identity().program,
                       .rank = loader->identity().rank,
                       .pid = static_cast<int>(loader->identity().pid),
                       .values = loader->Values(machine_.cores),
                       .start = agent.first().knobs,
                       .end = loader->knobs(),
                       .threads = loader->crowd(),
                       .started_from = loader->started_from(),
                       .notes = loader->Notes(),
                       .advising = options_.mode != TuneMode::kTune});
  }
  return reports;
}

HostAgent::HostAgent(HostAgentOptions options) : watcher_(std::make_unique<Watcher>(std::move(options))) {}

HostAgent::~HostAgent() {
  Stop();
}

void HostAgent::Start() {
  watcher_->Start();
}

void HostAgent::Stop() {
  watcher_->Stop();
}

void HostAgent::EndMetrics(bool wait) {
  watcher_->EndMetrics(wait);
}

std::vector<exporters::LoaderReport> HostAgent::Reports() const {
  return watcher_->Reports();
}

}  // namespace sluice::app
