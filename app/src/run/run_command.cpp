#include "run/run_command.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "control/steering.h"
#include "loop/agent.h"
#include "loop/core_budget.h"
#include "loop/display.h"
#include "loop/live_plant.h"
#include "loop/metrics_outlet.h"
#include "loop/stop_signals.h"
#include "loop/taken_history.h"
#include "loop/ticker.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "run/data_hints.h"
#include "run/failed_rows_file.h"
#include "run/run_scenario.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/text.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/run_report.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/machine_shape.h"
#include "sluice/probes/sampler.h"
#include "sluice/runtime/accelerator.h"
#include "sluice/runtime/pipeline.h"
#include "sluice/runtime/scenario.h"
#include "topology/machine_map.h"
#include "version.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kTick{100};
// For calls that go on when a run is to end: first the consumer's, then those of the workers.
constexpr std::chrono::seconds kPatience{2};
constexpr const char* kNothingComes =
    "an epoch has passed without a single item, and so would all others; a batch with drop_remainder needs "
    "at "
    "least as many rows as its size, and rows that fail may be skipped";

Result<Nanos> DurationOf(const RunOptions& options) {
  if (options.duration.empty()) return Nanos(0);
  const auto duration = ParseDuration(options.duration);
  if (!duration) return Fail("--duration: " + duration.error().message);
  return duration;
}

// One run: the consumer on the calling thread, the agent on a thread of its own.
class Run {
 public:
  Run(const RunOptions& options, runtime::Scenario scenario, Nanos duration)
      : options_(options), scenario_(std::move(scenario)), duration_(duration) {}
  int Go();

 private:
  Result<void> Open();
  void AgentMain();
  void ShareTheHost(std::vector<NumaNode> nodes);
  void KeepToTheShare();
  void PublishMetrics(const Snapshot& now);
  void EndMetrics();
  Result<void> StartRecording();
  [[nodiscard]] Result<void> StartSteering();
  void Record(bool last = false);
  void Consume();
  void NoteEnd(exporters::RunEnd why);
  void FailWith(std::string error);
  [[nodiscard]] bool TimeIsUp(MonoTime start) const;
  [[nodiscard]] exporters::RunReport Report();
  int Finish();
  int Tell();  // the report; returns the exit status
  // The consumer is through: true. But false where it took too long, and the agent ends the process.
  [[nodiscard]] bool EndConsumer() EXCLUDES(mutex_);
  // The agent's: waits for it, and says whether it came.
  [[nodiscard]] bool ConsumerEnds() EXCLUDES(mutex_);
  [[nodiscard]] bool Over() EXCLUDES(mutex_);
  [[noreturn]] void LeaveBehind(int code);

  const RunOptions& options_;
  const runtime::Scenario scenario_;
  const Nanos duration_;
  StopSignals signals_;
  std::unique_ptr<runtime::Pipeline> pipeline_;
  std::optional<CoreBudget> cores_;
  std::unique_ptr<LivePlant> plant_;
  std::unique_ptr<autotune::Controller> controller_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<Display> display_;
  std::unique_ptr<MetricsOutlet> metrics_;
  std::unique_ptr<Recording> recording_;
  std::uint32_t recorded_as_ = 0;
  std::unique_ptr<FlightRecorder> flight_;
  std::unique_ptr<Steering> steering_;
  std::optional<FailedRowsFile> failed_rows_;
  std::string run_id_;
  Nanos cpu_{0};  // that the agent has taken
  std::atomic<exporters::RunEnd> ended_{exporters::RunEnd::kFinished};
  std::string error_;
  std::string stuck_;  // what has not come back when the run was to end

  Ticker ticker_{kTick};
  Mutex mutex_;
  CondVar over_changed_;
  bool over_ GUARDED_BY(mutex_) = false;        // the consumer is through
  bool agent_ends_ GUARDED_BY(mutex_) = false;  // it never will be
  TakenHistory history_ GUARDED_BY(mutex_);
};

Result<void> Run::Open() {
  if (!options_.json.empty()) {
    if (auto writable = CanBeWritten("--json", options_.json); !writable) return writable;
  }
  if (auto errors = WhatCannotBeRecorded(options_.record); !errors.empty()) return std::unexpected(errors[0]);
  if (!options_.failed_rows.empty()) {
    if (auto writable = CanBeWritten("--failed-rows", options_.failed_rows); !writable) return writable;
    auto file = FailedRowsFile::Create(options_.failed_rows);
    if (!file) return Fail("--failed-rows: " + file.error().message);
    failed_rows_.emplace(std::move(*file));
  }
  auto outlet = MetricsOutlet::Open(options_.metrics);
  if (!outlet) return std::unexpected(outlet.error());
  metrics_ = std::move(*outlet);
  if (metrics_ != nullptr) metrics_->Announce();
  runtime::PipelineOptions pipeline_options;
  pipeline_options.program = scenario_.pipeline.name;
  auto map = ReadMachineMap(options_.near);
  if (!map) return Fail("--near: " + map.error().message);
  pipeline_options.nodes = map->nodes;
  pipeline_options.cores = scenario_.cores.value_or(probes::ReadMachineBudget(0).cores);
  auto pipeline = runtime::Pipeline::Build(scenario_.pipeline, pipeline_options);
  if (!pipeline) {
    const std::string make = HowToMakeData(scenario_.pipeline);
    return Fail(pipeline.error().message + (make.empty() ? "" : "; make data with: " + make));
  }
  pipeline_ = std::move(*pipeline);
  if (!pipeline_->warning().empty()) std::fprintf(stderr, "sluice: %s\n", pipeline_->warning().c_str());

  auto reader = probes::SegmentReader::Over(pipeline_->segment());
  if (!reader) return std::unexpected(reader.error());
  auto requester = probes::KnobRequester::Over(pipeline_->segment());
  if (!requester) return std::unexpected(requester.error());
  run_id_ = reader->identity().run_id;
  probes::SamplerOptions sampling;
  sampling.cores = scenario_.cores;
  sampling.memory = pipeline_->memory_limit();
  plant_ = std::make_unique<LivePlant>(probes::Sampler(std::move(*reader), sampling), std::move(*requester));
  plant_->SetMachine(map->topology, map->device);
  ShareTheHost(map->nodes);
  controller_ = MakeController(options_.mode);
  agent_ = std::make_unique<Agent>(*plant_, controller_.get());
  if (auto recording = StartRecording(); !recording) return recording;
  auto flight = FlightRecorder::Open(options_.flight);
  if (!flight) return std::unexpected(flight.error());
  flight_ = std::move(*flight);
  if (flight_ != nullptr) flight_->Follow(pipeline_->segment_path());
  if (auto steering = StartSteering(); !steering) return steering;
  const auto kind = options_.quiet ? Display::Kind::kQuiet : KindFor(STDOUT_FILENO, options_.plain);
  display_ = std::make_unique<Display>(kind, scenario_.pipeline.name, ModeText(options_.mode));
  return {};
}

// Where the segment is private, which has been said, others are not heard of either.
void Run::ShareTheHost(std::vector<NumaNode> nodes) {
  if (pipeline_->segment_path().empty()) return;
  const std::string folder = std::filesystem::path(pipeline_->segment_path()).parent_path();
  cores_.emplace(folder, scenario_.pipeline.name, std::move(nodes));
  if (!cores_->why_alone().empty()) Warn(cores_->why_alone() + "; cores are not shared with other runs");
  plant_->SetBudget(&*cores_);
}

void Run::KeepToTheShare() {
  const Snapshot& now = agent_->now();
  if (!cores_ || now.machine == nullptr) return;
  cores_->Note(UsedBy(now), *now.machine);
  if (options_.mode == TuneMode::kTune) plant_->SetPace(cores_->pace());
}

// Where the segment is private, which has been said, nobody finds the run.
Result<void> Run::StartSteering() {
  const auto door = DoorOf(options_.control);
  if (!door) return std::unexpected(door.error());
  if (options_.control.none || pipeline_->segment_path().empty()) return {};
  const std::string folder = std::filesystem::path(pipeline_->segment_path()).parent_path();
  auto steering = Steering::Open(folder, *door, {.verb = "run", .run_id = run_id_}, options_.mode);
  if (!steering) return std::unexpected(steering.error());
  steering_ = std::move(*steering);
  if (steering_ == nullptr) return {};
  steering_->Announce();
  steering_->Add(
      {.name = scenario_.pipeline.name,
       .rank = {},
       .pid = getpid(),
       .run_start = agent_->first().at,
       .agent = agent_.get(),
       .knobs = [this]() -> const std::vector<Knob>& { return plant_->knobs(); },
       .set_holder = [this](KnobId knob, Holder holder) { return plant_->SetHolder(knob, holder); },
       .bounds = &plant_->bounds(),
       .over = [this] { return agent_->now().finished; }});
  return {};
}

Result<void> Run::StartRecording() {
  auto recording =
      Recording::Start(options_.record, {.verb = "run", .name = scenario_.pipeline.name, .run_id = run_id_});
  if (!recording) return std::unexpected(recording.error());
  recording_ = std::move(*recording);
  if (recording_ == nullptr) return {};
  recorded_as_ = recording_->Add(
      {.name = scenario_.pipeline.name, .rank = {}, .pid = getpid(), .started = agent_->first().at});
  Record();
  return {};
}

void Run::Record(bool last) {
  if (recording_) recording_->Note(recorded_as_, *agent_, plant_->sampler().reader().Events(), last);
}

int Run::Go() {
  if (const auto opened = Open(); !opened) return Complain(opened.error(), kExitFailed);
  signals_.OnStop([this] {
    NoteEnd(exporters::RunEnd::kInterrupted);
    pipeline_->Stop();
  });
  KeepToTheShare();  // from the first item on: below a quota a start at full speed is held back for seconds
  pipeline_->Start();
  std::thread agent([this] { AgentMain(); });
  Consume();
  signals_.Forget();
  while (!EndConsumer()) pause();
  agent.join();
  const int code = Finish();
  if (!stuck_.empty()) LeaveBehind(code);
  return code;
}

bool Run::EndConsumer() {
  const MutexLock lock(mutex_);
  over_ = true;
  over_changed_.NotifyAll();
  ticker_.Stop();
  return !agent_ends_;
}

bool Run::ConsumerEnds() {
  const MonoTime until = MonoNow() + kPatience;
  const MutexLock lock(mutex_);
  while (!over_) {
    const Nanos left = until - MonoNow();
    agent_ends_ = left.count() <= 0;
    if (agent_ends_) return false;
    over_changed_.WaitFor(mutex_, left);
  }
  return true;
}

bool Run::Over() {
  const MutexLock lock(mutex_);
  return over_;
}

void Run::LeaveBehind(int code) {
  pipeline_->Abandon();
  std::fflush(nullptr);
  _exit(code);
}

// The first reason counts.
void Run::NoteEnd(exporters::RunEnd why) {
  exporters::RunEnd none = exporters::RunEnd::kFinished;
  ended_.compare_exchange_strong(none, why);
}

void Run::FailWith(std::string error) {
  error_ = std::move(error);
  ended_.store(exporters::RunEnd::kFailed);
}

void Run::Consume() {
  runtime::EmulatedAccelerator accelerator(scenario_.consumer, scenario_.pipeline.seed);
  std::uint64_t rows = 0;
  runtime::Item item;
  for (;;) {
    const auto got = pipeline_->Next(item);
    if (got == runtime::Pipeline::Got::kEnd) return;
    if (got == runtime::Pipeline::Got::kError) return FailWith(item.error()->message);
    if (got == runtime::Pipeline::Got::kEpochEnd) {
      if (rows == 0 && scenario_.pipeline.epochs == 0) return FailWith(kNothingComes);
      continue;
    }
    {
      const MutexLock lock(mutex_);
      history_.Note(MonoNow(), item.Rows());
    }
    accelerator.Step();
    rows += item.Rows();
    if (options_.rows && rows >= *options_.rows) {
      NoteEnd(exporters::RunEnd::kLimit);
      return;
    }
  }
}

bool Run::TimeIsUp(MonoTime start) const {
  return duration_.count() > 0 && MonoNow() - start >= duration_;
}

void Run::AgentMain() {
  pthread_setname_np(pthread_self(), "sluice-agent");
  const MonoTime start = MonoNow();
  while (!Over()) {
    if (steering_ != nullptr) steering_->Serve();
    agent_->Step();
    KeepToTheShare();
    agent_->TellNews(
        [this](MonoTime at, const std::string& json) { pipeline_->LogDecision(at.count(), json); });
    if (steering_ != nullptr) steering_->Tell();
    display_->Show(*agent_);
    cpu_ = ReadClock(CLOCK_THREAD_CPUTIME_ID);
    if (metrics_ != nullptr && metrics_->Due(agent_->now().at)) PublishMetrics(agent_->now());
    Record();
    if (flight_ != nullptr) flight_->Look();
    if (failed_rows_) failed_rows_->Update(*pipeline_);
    if (TimeIsUp(start) || display_->unread()) {
      NoteEnd(display_->unread() ? exporters::RunEnd::kInterrupted : exporters::RunEnd::kLimit);
      pipeline_->Stop();
    }
    if (ended_.load() != exporters::RunEnd::kFinished) {
      if (ConsumerEnds()) return;
      stuck_ = "the consumer had not come back from its step";
      LeaveBehind(Finish());
    }
    ticker_.Wait();
  }
}

void Run::PublishMetrics(const Snapshot& now) {
  const exporters::RunIdentity run{scenario_.pipeline.name, run_id_, kVersion};
  const exporters::PipelineMetrics pipeline{
      .now = &now,
      .decisions = &agent_->decisions(),
      .verdict = &agent_->verdict(),
      .exemplars = flight_ ? flight_->ExemplarsOf(pipeline_->segment_path()) : nullptr,
      .workers = WorkersOf(plant_->sampler().reader(), now, options_.metrics)};
  metrics_->Publish(MonoNow(), run,
                    exporters::Expose(run, FiguresOfAgent(options_.mode, cpu_), {&pipeline, 1}));
}

void Run::EndMetrics() {
  if (metrics_ == nullptr) return;
  agent_->LookBack();
  Snapshot last = agent_->now();
  last.finished = stuck_.empty();
  PublishMetrics(last);
  metrics_->End(ended_.load() != exporters::RunEnd::kInterrupted,
                [this] { return signals_.received() != 0; });
}

exporters::RunReport Run::Report() {
  exporters::RunReport report;
  report.scenario = scenario_.pipeline.name;
  report.run_id = run_id_;
  report.version = kVersion;
  report.machine = probes::ReadMachineShape();
  report.start = agent_->first();
  report.end = agent_->now();
  report.first_window = agent_->FirstWindow();
  report.last_window = agent_->LastWindow();
  {
    const MutexLock lock(mutex_);
    report.history = history_.marks();
  }
  report.decisions = agent_->decisions();
  report.verdict = agent_->verdict();
  if (!pipeline_->warning().empty()) report.warnings.push_back(pipeline_->warning());
  for (const probes::LogLine& event : plant_->sampler().reader().Events())
    report.warnings.push_back(event.text);
  if (!stuck_.empty()) report.warnings.push_back("the run ended although " + stuck_);
  report.rows = pipeline_->failures();
  if (failed_rows_) report.failed_rows_file = failed_rows_->path();
  report.ended = ended_.load();
  report.error = error_;
  const int signal = signals_.received() != 0 ? signals_.received() : SIGPIPE;
  report.exit_code = report.ended == exporters::RunEnd::kFailed        ? kExitFailed
                     : report.ended == exporters::RunEnd::kInterrupted ? kExitSignal + signal
                                                                       : kExitDone;
  return report;
}

int Run::Tell() {
  steering_.reset();
  agent_->LookBack();
  if (!pipeline_->StopWithin(kPatience)) stuck_ = pipeline_->Inside();
  const auto listed = failed_rows_ ? failed_rows_->Close(*pipeline_) : Result<void>();
  display_->Close(*agent_);
  const exporters::RunReport report = Report();
  if (recording_) {
    Record(true);
    recording_->Close(std::string(exporters::OutcomeText(report)));
  }
  if (flight_ != nullptr) flight_->Close();
  std::fputs(exporters::ReportText(report, PageStyle(STDOUT_FILENO)).c_str(), stdout);
  const int unwritten = std::fflush(stdout) != 0 ? errno : 0;
  if (!report.error.empty()) std::fprintf(stderr, "sluice: %s\n", report.error.c_str());
  if (!options_.json.empty()) {
    if (const auto written = exporters::WriteFile(options_.json, exporters::ReportJson(report)); !written) {
      return Complain(written.error(), kExitFailed);
    }
  }
  if (!listed) return Complain(listed.error(), kExitFailed);
  if (unwritten == EPIPE && report.exit_code == kExitDone) return kExitSignal + SIGPIPE;
  if (unwritten != 0 && unwritten != EPIPE) {
    return Complain({fmt::format("cannot write the report: {}", std::strerror(unwritten))}, kExitFailed);
  }
  return report.exit_code;
}

int Run::Finish() {
  const int code = Tell();
  EndMetrics();
  return code;
}

}  // namespace

int RunScenario(const RunOptions& options) {
  auto scenario = ScenarioOf(options);
  if (!scenario) return Complain(scenario.error(), kExitUsage);
  if (const auto valid = runtime::Validate(scenario->pipeline); !valid)
    return Complain(valid.error(), kExitUsage);
  const auto duration = DurationOf(options);
  if (!duration) return Complain(duration.error(), kExitUsage);
  if (const auto record = CheckRecord(options.record); !record) return Complain(record.error(), kExitUsage);
  if (const auto flight = CheckFlight(options.flight); !flight) return Complain(flight.error(), kExitUsage);
  return Run(options, std::move(*scenario), *duration).Go();
}

}  // namespace sluice::app
