// SessionRecorder: keeps a run in a file that can be looked at while it grows and after the run: an SQLite
// database with the tables of docs/session-format.md. Whatever becomes of the file, the run goes on.
//
// Every snapshot of the last minutes is kept, of older ones fewer and fewer; counters are totals, so the sums
// over what is left stay exact. What a process that is killed leaves is whole but for its last second.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/belief.h"
#include "sluice/base/decision.h"
#include "sluice/base/error.h"
#include "sluice/base/machine_shape.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {

// The verb of a session that was made of what another system has recorded.
inline constexpr const char* kImportVerb = "import";
// Of one that was simulated: its time is virtual.
inline constexpr const char* kSimVerb = "sim";

// What a session is of.
struct SessionFacts {
  std::string verb{};  // "run", "wrap", "top", "import", "sim"
  std::string name{};  // of the scenario, the command, or the folder
  std::string run_id{};
  std::string version{};  // of sluice
  MachineShape machine{};
  MonoTime started{0};
  Nanos started_wall{0};  // the same moment, CLOCK_REALTIME
};

// One of the pipelines that are recorded: that of a run, or of a loader of a wrapped run.
struct SessionPipeline {
  std::string name{};  // the scenario, or "train.py: train_loader (Photos)"
  std::optional<int> rank{};
  int pid = 0;
  MonoTime started{0};
};

struct SessionOptions {
  Bytes limit = 256_MiB;                   // of the file and what SQLite has beside it
  Nanos recent = std::chrono::minutes(5);  // that is kept at full rate; shorter where the limit asks for it
};

// Thread-safe, but the calls of one pipeline come from one thread. Writing happens on a thread of its own
// (`sluice-record`), so that a slow disk holds nobody up; where it falls behind, snapshots are left out.
class SessionRecorder {
 public:
  // A session that is there is replaced; anything else of that name is left alone: an error that says so.
  [[nodiscard]] static Result<std::unique_ptr<SessionRecorder>> Create(const std::string& path,
                                                                       const SessionFacts& facts,
                                                                       SessionOptions options = {});
  ~SessionRecorder();  // closes
  SessionRecorder(const SessionRecorder&) = delete;
  SessionRecorder& operator=(const SessionRecorder&) = delete;

  // Returns its number, by which the other calls name it.
  std::uint32_t Add(const SessionPipeline& pipeline);
  // A snapshot that is not newer than the last one of its pipeline is left out. `beliefs`: of the controller
  // at that moment; empty: it has none, or has nothing to tell.
  void Record(std::uint32_t pipeline, const Snapshot& now, const Verdict& verdict,
              const DecisionLog& decisions, std::vector<Belief> beliefs = {});
  // Something that its process said, as the warning of a stall.
  void Tell(std::uint32_t pipeline, MonoTime at, const std::string& text);
  // Writes what is left and makes one plain file of it. `outcome`: how the run ended, in a few words.
  void Close(MonoTime at, Nanos wall, const std::string& outcome);

  // What went wrong since the last call, for the user; each trouble is told once. Nothing of it needs an
  // answer.
  [[nodiscard]] std::optional<std::string> Trouble();

 private:
  class Work;
  explicit SessionRecorder(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace sluice::exporters
