// LoaderSession: one measured pipeline of a wrapped run, and the controller that tunes it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "control/steering.h"
#include "epochs/epoch_log.h"
#include "epochs/queue_log.h"
#include "loaders/loader_plant.h"
#include "loaders/tuned_file.h"
#include "loop/agent.h"
#include "loop/tune_mode.h"
#include "sluice/base/error.h"
#include "sluice/exporters/loader_report.h"
#include "sluice/exporters/plain_lines.h"

namespace sluice::app {

// One thread (the agent's).
class LoaderSession {
 public:
  // `cores` bounds what the sampler finds.
  [[nodiscard]] static Result<std::unique_ptr<LoaderSession>> Open(const std::string& path, TuneMode mode,
                                                                   std::optional<double> cores,
                                                                   const MachineMap& machine = {});
  // Puts knobs where an earlier run has left them; started_from() says which.
  void StartFrom(const TunedLoader& found);

  // One turn of the lap. False: its process is gone, and this was the last look.
  bool Step();
  void LookBack();

  [[nodiscard]] LoaderPlant& plant() { return plant_; }
  [[nodiscard]] const Agent& agent() const { return agent_; }
  // For the control socket; outlived by the session.
  [[nodiscard]] SteeredPipeline Steered();
  // As this run has settled them, whatever is being tried.
  [[nodiscard]] const std::vector<Knob>& knobs() const;
  [[nodiscard]] const probes::SegmentIdentity& identity() const { return plant_.reader().identity(); }
  [[nodiscard]] bool over() const { return over_; }
  // Remembers what is wrong with the threads of its workers, at the last look that saw any.
  void LookAtThreads(double cores, bool limited);
  [[nodiscard]] const std::optional<exporters::CrowdedThreads>& crowd() const { return crowd_; }
  // How many of its worker processes there were when memory was last read.
  void NoteReadWorkers(std::size_t count) { read_workers_ = static_cast<std::int64_t>(count); }
  // As of the last few seconds.
  [[nodiscard]] autotune::Claim claim() const;
  [[nodiscard]] TunedLoader Found() const;
  // For the report.
  [[nodiscard]] exporters::LoaderValues Values(double machine_cores) const;
  // As of the last few seconds.
  [[nodiscard]] exporters::LoaderNow Now() const;
  // What an earlier run had found and this one began with; nullopt: there is none.
  [[nodiscard]] const std::optional<std::vector<KnobChange>>& started_from() const { return started_from_; }
  // What its process wants the report to say, each once.
  [[nodiscard]] std::vector<std::string> Notes() const;

 private:
  LoaderSession(LoaderPlant plant, TuneMode mode);
  void FollowTheEpochs();
  [[nodiscard]] bool InUsersHands() const;
  [[nodiscard]] std::optional<exporters::WholeEpochs> WholeEpochsOf(
      const exporters::LoaderSetting& start, const exporters::LoaderSetting& end) const;

  const TuneMode mode_;
  LoaderPlant plant_;
  std::unique_ptr<autotune::Controller> controller_;
  Agent agent_;
  EpochLog epochs_;
  QueueLog queued_;
  // Of before the script's own setting is tried: until what comes after it tells as much.
  struct Settled {
    std::optional<Span> last;
    std::vector<Knob> knobs;
    std::optional<MonoTime> until;  // nullopt: it is being tried
  };
  std::optional<Settled> settled_;
  std::int64_t read_workers_ = 0;
  bool over_ = false;
  MonoTime look_at_threads_{0};
  std::optional<exporters::CrowdedThreads> crowd_;
  std::optional<std::vector<KnobChange>> started_from_;
};

}  // namespace sluice::app
