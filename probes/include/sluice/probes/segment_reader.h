// SegmentReader: reads a telemetry segment as untrusted input. Every offset, count, index, length and
// string is bounds-checked against the file; a dead, truncated or foreign segment is a clear Error,
// never a crash. Read-only towards the measured process.
//
// One thread. Reading copies counters one by one: a racing read may miss the newest item, it never
// counts one twice, and no counter ever falls from one reading to the next.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"
#include "sluice/base/worker_reading.h"

namespace sluice::probes {

struct SegmentIdentity {
  std::uint32_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string program;
  std::string run_id;
  std::optional<int> rank;
  MonoTime started{0};  // when the segment was made, just before the run began
};

// A worker thread, for those who ask the kernel about it.
struct WorkerThread {
  OpId op{0};
  std::int32_t tid = 0;
  Nanos busy{0}, helped{0}, helping{0};
  bool retired = false;
  std::int32_t pid = 0;  // its process; 0: the measured process itself
};

// An epoch that the consumer has left.
struct EndedEpoch {
  std::uint64_t number = 0;  // of those that have ended, from 1; a gap: others ended between two looks
  Nanos took{0};             // from its first request to its last item, start-up included
  Nanos first{0};            // of it, to the first item
  std::uint64_t items = 0;
  std::int64_t workers = 0;  // in force in it; -1: changed in its course
  std::int64_t capacity = 0;
  friend bool operator==(const EndedEpoch&, const EndedEpoch&) = default;
};

struct EpochOutlook {
  std::uint64_t items = 0;  // should it be read to its end; 0: not known
  Nanos start{0};           // CPU time that the run itself takes to start one worker; 0: not measured
  Nanos start_cpu{0};       // that a worker takes beside its first two items; 0: none has done them
};

struct LogLine {
  std::uint64_t number = 0;  // grows by one; a gap means that lines were overwritten before being read
  MonoTime at{0};
  std::string text;
};

class SegmentReader {
 public:
  // Opens the file read-only; each reading copies from it, so a file that shrinks does no harm. Errors
  // name the file.
  [[nodiscard]] static Result<SegmentReader> Open(const std::string& path);
  // Reads memory of this process; `bytes` must outlive the reader.
  [[nodiscard]] static Result<SegmentReader> Over(std::span<const std::byte> bytes);
  SegmentReader(SegmentReader&&) noexcept;
  SegmentReader& operator=(SegmentReader&&) noexcept;
  ~SegmentReader();

  [[nodiscard]] const SegmentIdentity& identity() const;
  // Everything the segment knows, as of `now`: intervals still open are counted up to `now`. on_cpu,
  // runnable, rss, throttled and process_cpu stay empty: they come from the kernel (sampler.h).
  [[nodiscard]] Snapshot Read(MonoTime now, Nanos wall) const;
  // Every worker slot ever handed out, in the order of slots: the same index is the same slot for good.
  // Intervals still open are counted up to `now`.
  [[nodiscard]] std::vector<WorkerThread> Threads(MonoTime now = MonoTime{0}) const;
  // What each worker has done, in the order of slots: the same place is the same worker for good, and nothing
  // in it ever falls. Steps inside an op's workers (Graph::IsPart) have none.
  [[nodiscard]] std::vector<WorkerReading> Workers(MonoTime now) const;
  // And verdicts: those still in the ring, oldest first, from number `from` on. It costs little to ask for
  // those that have come since.
  [[nodiscard]] std::vector<LogLine> Decisions(std::uint64_t from = 0) const;
  [[nodiscard]] std::vector<LogLine> Events(std::uint64_t from = 0) const;
  // The one that ended last; nullopt: none yet, or whoever writes tells nothing of them.
  [[nodiscard]] std::optional<EndedEpoch> LastEpoch() const;
  // Of the epoch that goes on.
  [[nodiscard]] EpochOutlook Outlook() const;
  // When the measured process last showed life, on the monotonic clock; 0: not yet.
  [[nodiscard]] MonoTime Heartbeat() const;
  // Whether the process that wrote it still lives (same pid and same start time).
  [[nodiscard]] bool Alive() const;

 private:
  struct Impl;
  explicit SegmentReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What `sluice ls` shows. Segments of dead processes are removed when `clean` says so.
struct FoundSegment {
  std::string path;
  std::optional<SegmentIdentity> identity;  // nullopt: not readable, see `problem`
  std::string problem;
  bool alive = false;
};
[[nodiscard]] std::vector<FoundSegment> FindSegments(const std::string& folder, bool clean);

// Removes segments of dead processes. What each still tells is there for `before`; what ends in it loses
// nothing.
void RemoveDeadSegments(const std::string& folder, const std::function<void(const SegmentReader&)>& before);

// Writes knob requests into a segment, the only way to change a run from outside of its pipeline, and the
// decisions and verdicts behind them, for those who watch.
class KnobRequester {
 public:
  [[nodiscard]] static Result<KnobRequester> Open(const std::string& path);
  [[nodiscard]] static Result<KnobRequester> Over(std::span<std::byte> bytes);
  KnobRequester(KnobRequester&&) noexcept;
  KnobRequester& operator=(KnobRequester&&) noexcept;
  ~KnobRequester();
  // Requests `value` for the knob and wakes the measured process. False: no such knob, `value` is outside
  // of its bounds, or the segment is gone.
  bool Request(KnobId knob, std::int64_t value);
  bool SetHolder(KnobId knob, Holder holder);
  // How many cores the workers may keep busy together; 0: as many as they like. False: the segment is gone,
  // or of a version that knows no pace.
  bool SetPace(double cores);
  // Into the ring of decisions, behind what is there. Only for a run that logs none by itself: the ring has
  // one writer. False: the segment is gone or has no such ring.
  bool LogDecision(MonoTime at, std::string_view json);

 private:
  struct Impl;
  explicit KnobRequester(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::probes
