#include "top/top_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "loop/agent.h"
#include "loop/display.h"
#include "loop/key_terminal.h"
#include "loop/stop_signals.h"
#include "loop/ticker.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/top_report.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/segment_reader.h"
#include "steer/remote_steering.h"
#include "top/top_keys.h"
#include "top/watched_run.h"
#include "version.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kGlance{50};  // at whether it is to stop, between two keys

std::string ListOf(const std::vector<probes::FoundSegment>& living) {
  std::string list;
  for (std::size_t i = 0; i < living.size(); ++i) {
    const probes::SegmentIdentity& who = IdentityOf(living[i]);
    list += fmt::format("\n  {}  pid {}  {}", i + 1, who.pid, who.program);
  }
  return list;
}

// Asks on the terminal; nullopt: no such number.
std::optional<std::size_t> Ask(const std::vector<probes::FoundSegment>& living) {
  fmt::print(stderr, "{} measured:{}\nwhich one? [1-{}] ", living.size(), ListOf(living), living.size());
  std::fflush(stderr);
  char line[32];
  if (std::fgets(line, sizeof(line), stdin) == nullptr) return std::nullopt;
  const long number = std::strtol(line, nullptr, 10);
  if (number < 1 || number > static_cast<long>(living.size())) return std::nullopt;
  return static_cast<std::size_t>(number - 1);
}

Result<probes::FoundSegment> Choose(const TopOptions& options) {
  std::vector<probes::FoundSegment> living = FindWatchable(options.pid, options.loader);
  if (living.size() == 1) return std::move(living.front());
  if (living.empty() && options.pid)
    return Fail(fmt::format("process {} is not measured; `sluice ls` lists those that are", *options.pid));
  if (living.empty() && !options.loader.empty())
    return Fail(
        fmt::format("nothing measured has '{}' in its name; `sluice ls` lists what is", options.loader));
  if (living.empty()) return Fail("no measured process; start one with `sluice run SCENARIO`");
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
    return Fail(fmt::format("{} are measured; say which: sluice top PID, or --loader NAME{}", living.size(),
                            ListOf(living)));
  }
  const auto chosen = Ask(living);
  if (!chosen) return Fail("no such number; nothing is watched");
  return std::move(living[*chosen]);
}

exporters::TopReport ReportOf(const probes::SegmentIdentity& who, const Agent& agent, bool over) {
  return {.program = who.program,
          .run_id = who.run_id,
          .rank = who.rank,
          .pid = static_cast<int>(who.pid),
          .version = kVersion,
          .run_start = who.started,
          .from = agent.first(),
          .to = agent.now(),
          .verdict = agent.verdict(),
          .decisions = agent.decisions(),
          .over = over};
}

exporters::SessionPipeline PipelineOf(const probes::SegmentIdentity& who) {
  return {.name = who.program, .rank = who.rank, .pid = static_cast<int>(who.pid), .started = who.started};
}

void PublishMetrics(MetricsOutlet& metrics, const MetricsOptions& options,
                    const probes::SegmentReader& reader, const Agent& agent) {
  const probes::SegmentIdentity& who = reader.identity();
  const exporters::RunIdentity run{"top", who.run_id, kVersion};
  const exporters::PipelineMetrics pipeline{.loader = who.program,
                                            .rank = who.rank,
                                            .pid = static_cast<int>(who.pid),
                                            .now = &agent.now(),
                                            .decisions = &agent.decisions(),
                                            .verdict = &agent.verdict(),
                                            .workers = WorkersOf(reader, agent.now(), options)};
  metrics.Publish(agent.now().at, run,
                  exporters::Expose(run, FiguresOfAgent(std::nullopt, ReadClock(CLOCK_PROCESS_CPUTIME_ID)),
                                    {&pipeline, 1}));
}

// What the user types, on a terminal; elsewhere nothing. On the thread that shows the table.
class Wheel {
 public:
  Wheel(const probes::FoundSegment& found, Display::Kind shown)
      : steers_(shown == Display::Kind::kTable && isatty(STDIN_FILENO) != 0) {
    if (!steers_) return;
    const std::string folder = std::filesystem::path(found.path).parent_path();
    const probes::SegmentIdentity& who = IdentityOf(found);
    const SteeredName whom{static_cast<int>(who.pid), who.program};
    steering_.emplace(RoadIn(folder), whom, ViewerName("top"));
    terminal_.emplace(STDIN_FILENO);
  }

  // Until the next tick, or the end. False: it is time to leave.
  [[nodiscard]] bool Wait(Ticker& ticker, Display& display, const Agent& agent) {
    if (!steers_) return ticker.Wait();
    SLUICE_CHECK(terminal_ && steering_);
    Tell(display, agent);
    for (Nanos left = ticker.Left(); left > Nanos(0); left = ticker.Left()) {
      const std::string_view bytes = terminal_->Wait(std::min<Nanos>(left, kGlance));
      if (bytes.empty()) continue;
      for (ui::Wish& wish : keys_.Press(bytes, SceneFor(agent))) steering_->Send(std::move(wish));
      if (keys_.leaving()) return false;
      Tell(display, agent);
    }
    return ticker.Wait();
  }
  // The last frame has no keys.
  void Leave(Display& display, const Agent& agent) const {
    if (steers_) display.SetFooter({}, agent);
  }

 private:
  [[nodiscard]] ui::Scene SceneFor(const Agent& agent) const {
    ui::Scene scene;
    scene.now = agent.now();
    SLUICE_CHECK(steering_);
    scene.steering = steering_->seen();
    return scene;
  }
  void Tell(Display& display, const Agent& agent) { display.SetFooter(keys_.Lines(SceneFor(agent)), agent); }

  const bool steers_;
  TopKeys keys_;
  std::optional<RemoteSteering> steering_;
  std::optional<KeyTerminal> terminal_;
};

int Watch(const probes::FoundSegment& found, const TopOptions& options, Nanos duration) {
  auto reader = probes::SegmentReader::Open(found.path);
  if (!reader) return Complain(reader.error(), kExitFailed);
  WatchedPlant plant(std::move(*reader));
  Onlooker onlooker(plant.reader());
  Agent agent(plant, &onlooker);
  const auto shown = options.quiet ? Display::Kind::kQuiet : KindFor(STDOUT_FILENO, options.plain);
  const probes::SegmentIdentity& who = IdentityOf(found);
  Display display(shown, who.program, fmt::format("watching pid {}", who.pid), who.started);
  StopSignals signals;
  auto metrics = MetricsOutlet::Open(options.metrics);
  if (!metrics) return Complain(metrics.error(), kExitFailed);
  if (*metrics != nullptr) (*metrics)->Announce();
  Ticker ticker(kTick);
  signals.OnStop([&] { ticker.Stop(); });
  Wheel wheel(found, shown);
  const MonoTime start = MonoNow();
  auto recording =
      Recording::Start(options.record, {.verb = "top", .name = who.program, .run_id = who.run_id});
  if (!recording) return Complain(recording.error(), kExitFailed);
  const std::uint32_t recorded_as = *recording ? (*recording)->Add(PipelineOf(who)) : 0;
  do {
    agent.Step();
    onlooker.Read(agent.log());
    display.Show(agent);
    if (*metrics != nullptr && (*metrics)->Due(agent.now().at))
      PublishMetrics(**metrics, options.metrics, plant.reader(), agent);
    if (*recording) (*recording)->Note(recorded_as, agent, plant.reader().Events());
    if (display.unread()) return kExitSignal + SIGPIPE;
    if (agent.now().finished || !plant.reader().Alive()) break;
  } while (wheel.Wait(ticker, display, agent) && (duration.count() == 0 || MonoNow() - start < duration));
  wheel.Leave(display, agent);
  display.Close(agent);
  const bool over = agent.now().finished || !plant.reader().Alive();
  if (*recording) {
    (*recording)->Note(recorded_as, agent, plant.reader().Events(), true);
    (*recording)->Close(over ? "ended" : "still running");
  }
  if (over && !options.quiet) std::puts("the run has ended");
  if (*metrics != nullptr) {
    PublishMetrics(**metrics, options.metrics, plant.reader(), agent);
    (*metrics)->End(over, [&] { return signals.received() != 0; });
  }
  if (options.json.empty()) return kExitDone;
  const auto written = exporters::WriteFile(options.json, exporters::TopJson(ReportOf(who, agent, over)));
  return written ? kExitDone : Complain(written.error(), kExitFailed);
}

}  // namespace

int WatchRun(const TopOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return Complain(can.error(), kExitUsage);
  if (const auto can = CheckMetrics(options.metrics); !can) return Complain(can.error(), kExitUsage);
  if (const auto can = CheckRecord(options.record); !can) return Complain(can.error(), kExitUsage);
  if (const auto errors = WhatCannotBeRecorded(options.record); !errors.empty())
    return Complain(errors[0], kExitUsage);
  Nanos duration{0};
  if (!options.duration.empty()) {
    const auto parsed = ParseDuration(options.duration);
    if (!parsed) return Complain({"--duration: " + parsed.error().message}, kExitUsage);
    duration = *parsed;
  }
  const auto found = Choose(options);
  if (!found) return Complain(found.error(), kExitFailed);
  return Watch(*found, options, duration);
}

}  // namespace sluice::app
