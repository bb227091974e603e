#include "top_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "agent.h"
#include "display.h"
#include "exit_codes.h"
#include "results.h"
#include "sluice/autotune/auto_tune.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/probes/sampler.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"
#include "stop_signals.h"

namespace sluice {
namespace {

constexpr std::chrono::milliseconds kTick{200};

// Somebody else's run: can be seen, cannot be touched.
class WatchedPlant : public Plant {
 public:
  explicit WatchedPlant(Sampler sampler) : sampler_(std::move(sampler)) {}
  Snapshot Sense() override { return sampler_.Sample(MonoNow(), WallNow()); }
  void Act(const Decision&) override {}
  const SegmentReader& reader() const { return sampler_.reader(); }

 private:
  Sampler sampler_;
};

// Says what limits the run by looking at it, and tells the decisions that its own agent has logged.
class Onlooker : public Controller {
 public:
  explicit Onlooker(const SegmentReader& reader) : reader_(reader), judge_(MakeAutoTune({.advise = true})) {}
  Decision Decide(const Snapshot& seen) override {
    Decision said;
    said.verdict = judge_->Decide(seen).verdict;
    return said;
  }
  void Read(DecisionLog& log) const {
    for (const LogLine& line : reader_.Decisions()) {
      if (auto entry = ParseDecisionJson(line.text)) log.Put(std::move(*entry));
    }
  }

 private:
  const SegmentReader& reader_;
  std::unique_ptr<Controller> judge_;
};

Result<FoundSegment> Choose(const std::optional<int>& pid) {
  std::vector<FoundSegment> living;
  std::string pids;
  for (FoundSegment& found : FindSegments(DefaultSegmentFolder(), false)) {
    if (!found.alive || !found.identity) continue;
    if (pid && static_cast<int>(found.identity->pid) != *pid) continue;
    pids += fmt::format("{}{}", pids.empty() ? "" : ", ", found.identity->pid);
    living.push_back(std::move(found));
  }
  if (living.empty() && pid)
    return Fail(fmt::format("process {} is not measured; `sluice ls` lists those that are", *pid));
  if (living.empty()) return Fail("no measured process; start one with `sluice run SCENARIO`");
  if (living.size() > 1 && !pid)
    return Fail(fmt::format("several measured processes ({}); say which: sluice top PID", pids));
  return std::move(living.front());
}

int Watch(const FoundSegment& found, const TopOptions& options, Nanos duration) {
  auto reader = SegmentReader::Open(found.path);
  if (!reader) return Complain(reader.error(), kExitFailed);
  WatchedPlant plant(Sampler(std::move(*reader), {}));
  Onlooker onlooker(plant.reader());
  Agent agent(plant, &onlooker);
  Display display(KindFor(STDOUT_FILENO, options.plain), found.identity->program,
                  fmt::format("watching pid {}", found.identity->pid), found.identity->started);
  StopSignals signals;
  std::atomic<bool> stop{false};
  signals.OnStop([&] { stop.store(true); });
  const MonoTime start = MonoNow();
  while (!stop.load() && (duration.count() == 0 || MonoNow() - start < duration)) {
    agent.Step();
    onlooker.Read(agent.log());
    display.Show(agent);
    if (display.unread()) return kExitSignal + SIGPIPE;
    if (agent.now().finished || !plant.reader().Alive()) break;
    std::this_thread::sleep_for(kTick);
  }
  display.Close(agent);
  if (agent.now().finished || !plant.reader().Alive()) std::puts("the run has ended");
  return kExitDone;
}

}  // namespace

int WatchRun(const TopOptions& options) {
  Nanos duration{0};
  if (!options.duration.empty()) {
    const auto parsed = ParseDuration(options.duration);
    if (!parsed) return Complain({"--duration: " + parsed.error().message}, kExitUsage);
    duration = *parsed;
  }
  const auto found = Choose(options.pid);
  if (!found) return Complain(found.error(), kExitFailed);
  return Watch(*found, options, duration);
}

}  // namespace sluice
