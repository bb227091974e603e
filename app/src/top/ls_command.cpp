#include "top/ls_command.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/found_list.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/terminal_screen.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/wrap/leftovers.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kLook{300};  // rates need an interval
constexpr std::chrono::seconds kStalledAfter{10};

struct Look {
  probes::FoundSegment found;
  std::optional<probes::SegmentReader> reader;
  Snapshot first;
};

Snapshot ReadNow(const probes::SegmentReader& reader) {
  return reader.Read(MonoNow(), WallNow());
}

std::optional<Nanos> AgeOf(const std::string& path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  if (error) return std::nullopt;
  return std::chrono::duration_cast<Nanos>(std::filesystem::file_time_type::clock::now() - written);
}

exporters::FoundRun Describe(const Look& look) {
  exporters::FoundRun run;
  run.problem = look.found.problem;
  run.age = AgeOf(look.found.path);
  if (look.found.identity) {
    run.pid = static_cast<int>(look.found.identity->pid);
    run.program = look.found.identity->program;
    run.run_id = look.found.identity->run_id;
  }
  if (!look.reader) {
    run.state = look.found.identity ? exporters::FoundState::kDead : exporters::FoundState::kUnreadable;
    return run;
  }
  const Snapshot now = ReadNow(*look.reader);
  run.ops = static_cast<int>(now.ops.size());
  run.consumer = exporters::MeasureConsumer(look.first, now).items;
  const auto heartbeat = look.reader->Heartbeat();
  const bool silent = heartbeat.count() != 0 && now.at - heartbeat > kStalledAfter;
  run.state = now.finished ? exporters::FoundState::kFinished
              : silent     ? exporters::FoundState::kStalled
                           : exporters::FoundState::kRunning;
  return run;
}

void RemoveLeftFiles() {
  const wrap::Leftovers removed = wrap::RemoveWhatDeadRunsLeft();
  if (removed.semaphores + removed.tensors == 0) return;
  std::printf("Removed from /dev/shm, left by killed runs: semaphores %d, tensors %d\n", removed.semaphores,
              removed.tensors);
}

}  // namespace

int ListRuns(bool clean) {
  if (clean) RemoveLeftFiles();
  std::vector<Look> looks;
  for (probes::FoundSegment& found : probes::FindSegments(probes::DefaultSegmentFolder(), clean)) {
    Look look{std::move(found), std::nullopt, {}};
    if (look.found.alive) {
      if (auto reader = probes::SegmentReader::Open(look.found.path)) {
        look.first = ReadNow(*reader);
        look.reader = std::move(*reader);
      }
    }
    looks.push_back(std::move(look));
  }
  if (!looks.empty()) std::this_thread::sleep_for(kLook);
  std::vector<exporters::FoundRun> runs;
  runs.reserve(looks.size());
  for (const Look& look : looks) runs.push_back(Describe(look));
  exporters::TextStyle style = StyleOf(STDOUT_FILENO);
  if (exporters::TerminalScreen::IsTerminal(STDOUT_FILENO))
    style.width = exporters::TerminalScreen::SizeOf(STDOUT_FILENO).width;
  for (const std::string& line : exporters::FoundList(runs, style)) std::puts(line.c_str());
  return kExitDone;
}

}  // namespace sluice::app
