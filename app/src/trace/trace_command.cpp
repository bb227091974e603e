#include "trace/trace_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "loop/stop_signals.h"
#include "loop/ticker.h"
#include "loop/trace_feed.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/exporters/growing_file.h"
#include "sluice/exporters/trace.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::milliseconds kAhead{500};  // that spans are asked for: what a tracer that dies costs
constexpr std::chrono::seconds kLookForMore{1};
constexpr std::chrono::milliseconds kShowEvery{250};

exporters::TraceFormat FormatOf(const TraceOptions& options) {
  const bool json = options.format.empty() ? options.output.ends_with(".json") : options.format == "json";
  return json ? exporters::TraceFormat::kChromeJson : exporters::TraceFormat::kPerfetto;
}

// All runs of this machine share one clock, so one file has room for all of them.
class Tracing {
 public:
  explicit Tracing(const TraceOptions& options)
      : options_(options), writer_(exporters::MakeTraceWriter(FormatOf(options))) {}

  // Opens what has come since the last call.
  void FindRuns();
  [[nodiscard]] bool empty() const { return feeds_.empty(); }
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }
  Result<void> Begin();
  void Ask(MonoTime until);
  Result<void> Look();
  Result<void> End();
  [[nodiscard]] bool Over() const;
  [[nodiscard]] std::string Progress() const;
  [[nodiscard]] std::string Summary() const;

 private:
  [[nodiscard]] bool Wanted(const probes::FoundSegment& found) const;

  const TraceOptions& options_;
  std::optional<exporters::GrowingFile> file_;  // from Begin on
  const std::unique_ptr<exporters::TraceWriter> writer_;
  std::set<std::string> known_;  // segments, traced or not
  std::vector<TraceFeed> feeds_;
  std::vector<std::string> refused_;  // why some cannot be traced
  std::uint64_t spans_ = 0, lost_ = 0;
  std::string bytes_;  // of one look, kept for its memory
  MonoTime clocks_told_{0}, begun_{0};
};

bool Tracing::Wanted(const probes::FoundSegment& found) const {
  return found.alive && found.identity &&
         (!options_.pid || static_cast<int>(found.identity->pid) == *options_.pid) &&
         found.identity->program.find(options_.loader) != std::string::npos;
}

void Tracing::FindRuns() {
  for (const probes::FoundSegment& found : probes::FindSegments(probes::DefaultSegmentFolder(), false)) {
    if (!Wanted(found) || !known_.insert(found.path).second) continue;
    auto feed = TraceFeed::Open(found.path, static_cast<std::uint32_t>(feeds_.size() + 1), *writer_);
    if (feed) {
      feeds_.push_back(std::move(*feed));
    } else {
      refused_.push_back(feed.error().message);
    }
  }
}

Result<void> Tracing::Begin() {
  auto file = exporters::GrowingFile::Create(options_.output);
  if (!file) return std::unexpected(file.error());
  file_.emplace(std::move(*file));
  begun_ = clocks_told_ = MonoNow();
  return file_->Append(writer_->Begin(begun_, WallNow()));
}

void Tracing::Ask(MonoTime until) {
  for (TraceFeed& feed : feeds_) feed.Ask(until);
}

Result<void> Tracing::Look() {
  bytes_.clear();
  const MonoTime now = MonoNow();
  if (now - clocks_told_ >= kLookForMore) {
    FindRuns();
    clocks_told_ = now;
    bytes_ = writer_->Clocks(now, WallNow());
  }
  for (TraceFeed& feed : feeds_) {
    const TracePiece piece = feed.Look(now, WallNow());
    bytes_.append(piece.names).append(piece.events);
    spans_ += piece.spans;
    lost_ += piece.lost;
  }
  SLUICE_CHECK(file_);
  return file_->Append(bytes_);
}

Result<void> Tracing::End() {
  if (auto looked = Look(); !looked) return looked;
  std::string bytes;
  const MonoTime now = MonoNow();
  for (TraceFeed& feed : feeds_) bytes += feed.Unfinished(now);
  SLUICE_CHECK(file_ && writer_);
  return file_->Append(bytes + writer_->End(now));
}

bool Tracing::Over() const {
  const auto ended = [](const TraceFeed& feed) { return !feed.reader().Alive(); };
  return std::ranges::all_of(feeds_, ended);
}

std::string Tracing::Progress() const {
  return fmt::format(
      "tracing {}: {:.1f} of {:g} s, {} spans",
      feeds_.size() == 1 ? feeds_[0].reader().identity().program : fmt::format("{} pipelines", feeds_.size()),
      static_cast<double>((MonoNow() - begun_).count()) / 1e9, options_.seconds, spans_);
}

std::string Tracing::Summary() const {
  std::size_t tracks = 0;
  for (const TraceFeed& feed : feeds_) tracks += feed.tracks();
  std::string text = fmt::format("{}: {} spans of {} workers in {:.1f} s", options_.output, spans_, tracks,
                                 static_cast<double>((MonoNow() - begun_).count()) / 1e9);
  if (lost_ > 0) text += fmt::format("; {} more came faster than they could be read", lost_);
  return text + "; open it at https://ui.perfetto.dev";
}

// Written over itself, where somebody looks.
class ProgressOnTerminal {
 public:
  explicit ProgressOnTerminal(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ~ProgressOnTerminal() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  ProgressOnTerminal(const ProgressOnTerminal&) = delete;
  ProgressOnTerminal& operator=(const ProgressOnTerminal&) = delete;
  void Show(const Tracing& tracing) {
    if (!shown_ || MonoNow() < next_) return;
    next_ = MonoNow() + kShowEvery;
    fmt::print(stderr, "\r\033[K{}", tracing.Progress());
    std::fflush(stderr);
  }

 private:
  const bool shown_;
  MonoTime next_{0};
};

Error NothingToTrace(const TraceOptions& options, const Tracing& tracing) {
  if (!tracing.refused().empty()) return {tracing.refused().front()};
  if (options.pid)
    return {fmt::format("process {} is not measured; `sluice ls` lists those that are", *options.pid)};
  if (!options.loader.empty())
    return {fmt::format("nothing measured has '{}' in its name; `sluice ls` lists what is", options.loader)};
  return {"no measured process; start one with `sluice run SCENARIO` or `sluice wrap -- COMMAND`"};
}

Result<void> Trace(const TraceOptions& options, Tracing& tracing) {
  StopSignals signals;
  Ticker ticker(kTick);
  signals.OnStop([&] { ticker.Stop(); });
  ProgressOnTerminal progress(options.quiet);
  if (auto begun = tracing.Begin(); !begun) return begun;
  const MonoTime end = MonoNow() + Nanos(static_cast<std::int64_t>(options.seconds * 1e9));
  do {
    tracing.Ask(std::min(end, MonoNow() + kAhead));
    if (auto looked = tracing.Look(); !looked) return looked;
    progress.Show(tracing);
  } while (MonoNow() < end && !tracing.Over() && ticker.Wait());
  return tracing.End();
}

}  // namespace

int TraceRuns(const TraceOptions& options) {
  if (const auto can = CanBeWritten("--output", options.output); !can)
    return Complain(can.error(), kExitUsage);
  Tracing tracing(options);
  tracing.FindRuns();
  if (tracing.empty()) return Complain(NothingToTrace(options, tracing), kExitFailed);
  const auto traced = Trace(options, tracing);
  for (const std::string& why : tracing.refused())
    Warn("not traced: " + why);  // some may have come meanwhile
  if (!traced) return Complain(traced.error(), kExitFailed);
  return options.quiet ? kExitDone : PrintOut(tracing.Summary() + "\n");
}

}  // namespace sluice::app
