#include "sluice/exporters/session_recorder.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "session/session_writer.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

namespace sluice::exporters {
namespace {

constexpr std::chrono::seconds kEach{1};    // a transaction
constexpr std::chrono::seconds kPause{10};  // after one that failed
constexpr std::size_t kMostWaiting = 2000;  // snapshots, when the disk does not keep up

bool IsSnapshot(const SessionEntry& entry) {
  return std::holds_alternative<SnapshotEntry>(entry);
}

}  // namespace

class SessionRecorder::Work {
 public:
  explicit Work(std::unique_ptr<SessionWriter> writer)
      : writer_(std::move(writer)), thread_([this] { Main(); }) {}
  ~Work() { Join(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::uint32_t Add(const SessionPipeline& pipeline) {
    const MutexLock lock(mutex_);
    pipelines_.emplace_back();
    const auto number = static_cast<std::uint32_t>(pipelines_.size());
    waiting_.emplace_back(PipelineEntry{number, pipeline});
    return number;
  }

  void Record(std::uint32_t pipeline, const Snapshot& now, const Verdict& verdict,
              const DecisionLog& decisions, std::vector<Belief> beliefs) {
    const MutexLock lock(mutex_);
    if (over_) return;
    TellDecisions(pipeline, now, decisions);
    MonoTime& last = pipelines_[pipeline - 1].last;
    if (snapshots_ >= kMostWaiting || now.at <= last) return;
    last = now.at;
    ++snapshots_;
    waiting_.emplace_back(SnapshotEntry{pipeline, now, verdict, std::move(beliefs)});
  }

  void Tell(std::uint32_t pipeline, MonoTime at, const std::string& text) {
    const MutexLock lock(mutex_);
    if (!over_) waiting_.emplace_back(EventEntry{pipeline, at, text});
  }

  void Close(MonoTime at, Nanos wall, const std::string& outcome) {
    Join();
    if (!closed_ && !Over()) Note(writer_->Finish(at, wall, outcome));
    closed_ = true;
  }

  std::optional<std::string> Trouble() {
    const MutexLock lock(mutex_);
    return std::exchange(trouble_, std::nullopt);
  }

 private:
  struct Told {
    DecisionNews news;
    MonoTime last{0};
  };

  void TellDecisions(std::uint32_t pipeline, const Snapshot& now, const DecisionLog& decisions)
      REQUIRES(mutex_) {
    for (const LoggedDecision* entry : pipelines_[pipeline - 1].news.Take(decisions)) {
      std::vector<std::string> knobs;
      knobs.reserve(entry->decision.changes.size());
      for (const KnobChange& change : entry->decision.changes)
        knobs.push_back(KnobName(change.knob, now.knobs));
      waiting_.emplace_back(DecisionEntry{pipeline, *entry, std::move(knobs)});
    }
  }

  void Main() {
    pthread_setname_np(pthread_self(), "sluice-record");
    while (WaitForMore()) WriteWhatWaits();
    WriteWhatWaits();
  }

  // False: it is to end.
  bool WaitForMore() {
    const MutexLock lock(mutex_);
    const MonoTime until = std::max(MonoNow() + Nanos(kEach), pause_until_);
    while (!closing_ && MonoNow() < until) changed_.WaitFor(mutex_, until - MonoNow());
    return !closing_;
  }

  void WriteWhatWaits() {
    std::vector<SessionEntry> entries;
    {
      const MutexLock lock(mutex_);
      if (over_) return;
      entries.swap(waiting_);
      snapshots_ = 0;
    }
    if (writer_->Gone()) return GiveUp(": it has been moved or removed");
    const auto written = writer_->Write(entries);
    Note(written);
    if (!written) TryAgainLater(std::move(entries));
    if (writer_->Full()) GiveUp(" with the limit reached; a greater --record-limit keeps longer runs");
  }

  // Snapshots can be spared: the next one has the same totals, and more.
  void TryAgainLater(std::vector<SessionEntry> entries) {
    std::erase_if(entries, IsSnapshot);
    const MutexLock lock(mutex_);
    entries.insert(entries.end(), std::make_move_iterator(waiting_.begin()),
                   std::make_move_iterator(waiting_.end()));
    waiting_ = std::move(entries);
    pause_until_ = MonoNow() + Nanos(kPause);
  }

  void Note(const Result<void>& done) {
    const MutexLock lock(mutex_);
    if (done) last_trouble_.clear();
    if (done || done.error().message == last_trouble_) return;
    last_trouble_ = done.error().message;
    trouble_ = "the recording has a gap: " + last_trouble_;
  }

  void GiveUp(const std::string& why) {
    const MutexLock lock(mutex_);
    over_ = true;
    waiting_.clear();
    trouble_ = "recording has ended" + why;
  }

  [[nodiscard]] bool Over() {
    const MutexLock lock(mutex_);
    return over_;
  }

  void Join() {
    {
      const MutexLock lock(mutex_);
      closing_ = true;
      changed_.NotifyAll();
    }
    if (thread_.joinable()) thread_.join();
  }

  const std::unique_ptr<SessionWriter> writer_;  // the thread's, and after it Close()'s
  bool closed_ = false;
  Mutex mutex_;
  CondVar changed_;
  std::vector<SessionEntry> waiting_ GUARDED_BY(mutex_);
  std::size_t snapshots_ GUARDED_BY(mutex_) = 0;  // of those waiting
  std::vector<Told> pipelines_ GUARDED_BY(mutex_);
  MonoTime pause_until_ GUARDED_BY(mutex_){0};
  std::string last_trouble_ GUARDED_BY(mutex_);
  std::optional<std::string> trouble_ GUARDED_BY(mutex_);
  bool closing_ GUARDED_BY(mutex_) = false;
  bool over_ GUARDED_BY(mutex_) = false;  // nothing more is written
  std::thread thread_;
};

Result<std::unique_ptr<SessionRecorder>> SessionRecorder::Create(const std::string& path,
                                                                 const SessionFacts& facts,
                                                                 SessionOptions options) {
  auto writer = SessionWriter::Create(path, facts, options);
  if (!writer) return std::unexpected(writer.error());
  return std::unique_ptr<SessionRecorder>(new SessionRecorder(std::make_unique<Work>(std::move(*writer))));
}

SessionRecorder::SessionRecorder(std::unique_ptr<Work> work) : work_(std::move(work)) {}

SessionRecorder::~SessionRecorder() = default;

std::uint32_t SessionRecorder::Add(const SessionPipeline& pipeline) {
  return work_->Add(pipeline);
}

void SessionRecorder::Record(std::uint32_t pipeline, const Snapshot& now, const Verdict& verdict,
                             const DecisionLog& decisions, std::vector<Belief> beliefs) {
  work_->Record(pipeline, now, verdict, decisions, std::move(beliefs));
}

void SessionRecorder::Tell(std::uint32_t pipeline, MonoTime at, const std::string& text) {
  work_->Tell(pipeline, at, text);
}

void SessionRecorder::Close(MonoTime at, Nanos wall, const std::string& outcome) {
  work_->Close(at, wall, outcome);
}

std::optional<std::string> SessionRecorder::Trouble() {
  return work_->Trouble();
}

}  // namespace sluice::exporters
