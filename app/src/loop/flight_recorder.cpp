#include "loop/flight_recorder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "result/results.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/exporters/write_file.h"

namespace sluice::app {
namespace {

constexpr Nanos kDefaultStall = std::chrono::seconds(2);
constexpr Nanos kLeastStall = std::chrono::milliseconds(100);
constexpr Nanos kBefore = std::chrono::seconds(10);  // a stall
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr Nanos kAhead = std::chrono::seconds(1);
constexpr int kMostFiles = 20;  // of a run

Result<Nanos> StallOf(const FlightOptions& options) {
  if (options.stall.empty()) return kDefaultStall;
  const auto stall = ParseDuration(options.stall);
  if (!stall) return Fail("--flight-stall: " + stall.error().message);
  if (*stall < kLeastStall) return Fail("--flight-stall: at least 100ms; waits below it are everyday life");
  return stall;
}

double Seconds(Nanos time) {
  return static_cast<double>(time.count()) / 1e9;
}

}  // namespace

Result<void> CheckFlight(const FlightOptions& options) {
  if (options.folder.empty() && !options.stall.empty())
    return Fail("--flight-stall needs --flight-recorder DIR");
  if (const auto stall = StallOf(options); !stall) return std::unexpected(stall.error());
  return {};
}

FlightRecorder::FlightRecorder(std::string folder, Nanos stall)
    : folder_(std::move(folder)),
      stall_(stall),
      writer_(exporters::MakeTraceWriter(exporters::TraceFormat::kPerfetto)),
      first_name_(fmt::format("stall-{:%Y%m%dT%H%M%SZ}-", fmt::gmtime(std::time(nullptr)))) {}

Result<std::unique_ptr<FlightRecorder>> FlightRecorder::Open(const FlightOptions& options) {
  if (options.folder.empty()) return nullptr;
  const auto stall = StallOf(options);
  if (!stall) return std::unexpected(stall.error());
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error)
    return Fail(
        fmt::format("--flight-recorder: cannot make the folder {}: {}", options.folder, error.message()));
  return std::unique_ptr<FlightRecorder>(new FlightRecorder(options.folder, *stall));
}

void FlightRecorder::Follow(const std::string& segment) {
  if (segment.empty()) return Warn("no flight recorder: it needs shared memory, which this run does without");
  if (pipelines_.contains(segment)) return;
  auto feed = TraceFeed::Open(segment, static_cast<std::uint32_t>(pipelines_.size() + 1), *writer_);
  if (!feed) Warn("the flight recorder is without a pipeline: " + feed.error().message);
  pipelines_[segment] = feed ? std::make_unique<Pipeline>(Pipeline{std::move(*feed), {}, ""}) : nullptr;
}

void FlightRecorder::Look() {
  const MonoTime now = MonoNow();
  for (auto& [segment, pipeline] : pipelines_) {
    if (pipeline == nullptr) continue;
    pipeline->feed.Ask(now + kAhead);
    const TracePiece piece = pipeline->feed.Look(now, WallNow());
    Keep(piece, now);
    const bool over = piece.seen.finished || !pipeline->feed.reader().Alive();
    Judge(*pipeline, piece.seen, over);
    if (over) pipeline.reset();
  }
}

// What came before a stall stays for as long as it goes on.
void FlightRecorder::Keep(const TracePiece& piece, MonoTime now) {
  const bool stalls = std::ranges::any_of(
      pipelines_, [](const auto& entry) { return entry.second != nullptr && !entry.second->file.empty(); });
  names_ += piece.names;
  bytes_ += piece.events.size();
  kept_.push_back({now, piece.events});
  const auto spare = [&](const Kept& kept) { return !stalls && now - kept.at > kBefore + stall_; };
  while (!kept_.empty() && (spare(kept_.front()) || bytes_ > kMostBytes)) {
    bytes_ -= kept_.front().events.size();
    kept_.pop_front();
  }
}

void FlightRecorder::Judge(Pipeline& pipeline, const Snapshot& seen, bool over) {
  Wait& wait = pipeline.wait;
  if (seen.consumer.items == wait.items && !over) {
    const Nanos waited = (seen.consumer.starved - wait.starved) - (seen.consumer.starting - wait.starting);
    if (seen.consumer.items > 0 && pipeline.file.empty() && waited >= stall_) BeginFile(pipeline, waited);
    return;
  }
  if (!pipeline.file.empty()) Write(pipeline);
  pipeline.file.clear();
  wait = {seen.consumer.items, seen.consumer.starved, seen.consumer.starting};
}

void FlightRecorder::BeginFile(Pipeline& pipeline, Nanos waited) {
  if (files_ == kMostFiles) return;
  pipeline.file = fmt::format("{}/{}{}.perfetto-trace", folder_, first_name_, ++files_);
  if (!Write(pipeline)) return;
  Warn(fmt::format("{} has waited {:.1f} s for an item; what its workers did before is in {}{}",
                   pipeline.feed.reader().identity().program, Seconds(waited), pipeline.file,
                   files_ == kMostFiles ? ", the last such file of this run" : ""));
}

bool FlightRecorder::Write(const Pipeline& pipeline) {
  const MonoTime now = MonoNow();
  std::string bytes = writer_->Begin(now, WallNow()) + names_;
  for (const Kept& kept : kept_) bytes += kept.events;
  for (const auto& [segment, other] : pipelines_) {
    if (other != nullptr) bytes += other->feed.Unfinished(now);
  }
  bytes += writer_->End(now);
  const auto written = exporters::WriteFile(pipeline.file, bytes);
  if (!written) Warn("the flight recorder: " + written.error().message);
  return written.has_value();
}

const std::vector<exporters::Exemplars>* FlightRecorder::ExemplarsOf(const std::string& segment) const {
  const auto found = pipelines_.find(segment);
  return found == pipelines_.end() || found->second == nullptr ? nullptr : &found->second->feed.exemplars();
}

void FlightRecorder::Close() {
  Look();
  for (const auto& [segment, pipeline] : pipelines_) {
    if (pipeline != nullptr && !pipeline->file.empty()) Write(*pipeline);
  }
}

}  // namespace sluice::app
