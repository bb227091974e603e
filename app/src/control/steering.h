// Steering: the control socket of an agent (docs/control-api.md): answers whoever asks about its pipelines,
// and makes what the holder of the lease wants a decision of the lap, with the user as its author.
//
// One thread (the agent's). When nobody asks, a turn costs the look at two flags.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/control_bodies.h"
#include "control/lease.h"
#include "loop/agent.h"
#include "loop/knob_bounds.h"
#include "loop/tune_mode.h"
#include "sluice/base/error.h"
#include "sluice/exporters/control_report.h"
#include "sluice/exporters/control_server.h"

namespace sluice::app {

// A pipeline that can be steered; all of it outlives the steering.
struct SteeredPipeline {
  std::string name;
  std::optional<int> rank;
  int pid = 0;
  MonoTime run_start{0};
  Agent* agent = nullptr;
  std::function<const std::vector<Knob>&()>
      knobs;  // as the run has them, whatever the tuner may do with them
  std::function<bool(KnobId, Holder)> set_holder;
  KnobBounds* bounds = nullptr;
  std::function<bool()> over;
};

class Steering {
 public:
  // The socket is made in `folder`. nullptr: there is none, because it cannot be made, which has been said.
  // An error only where a door was asked for. Of `who`, the verb and the run's id are the caller's.
  [[nodiscard]] static Result<std::unique_ptr<Steering>> Open(
      const std::string& folder, const std::optional<exporters::ControlDoor>& door,
      const exporters::ControlledAgent& who, TuneMode mode);
  Steering(exporters::ControlledAgent who, TuneMode mode) : who_(std::move(who)), mode_(mode) {}

  // Where other machines reach it, to standard error; nothing where they do not.
  void Announce() const;
  // Its number is that of those before it.
  void Add(SteeredPipeline pipeline) { seats_.push_back({std::move(pipeline), {}, {}}); }
  // Before the steps of a lap.
  void Serve();
  // After them, for those who view.
  void Tell();

  // One request, as of `now`.
  [[nodiscard]] exporters::ControlAnswer Handle(const exporters::ControlRequest& request, MonoTime now);
  // A stream that came with this lease is over.
  void EndLease(const std::string& lease) { lease_.End(lease); }

 private:
  struct Made {
    std::uint64_t id = 0;
    std::string by;
    std::vector<KnobChange> changes;
  };
  struct Seat {
    SteeredPipeline pipeline;
    std::string held_by;    // empty: the tuner may go on
    std::deque<Made> made;  // that can be undone, the newest last
  };
  // Of one pipeline, to be told and answered from.
  struct View;
  using Handler = exporters::ControlAnswer (Steering::*)(Seat&, const exporters::ControlRequest&, MonoTime);

  [[nodiscard]] exporters::ControlAnswer AnswerLease(const exporters::ControlRequest& request, MonoTime now);
  [[nodiscard]] exporters::ControlAnswer AnswerPipeline(std::string_view rest,
                                                        const exporters::ControlRequest& request,
                                                        MonoTime now);
  exporters::ControlAnswer Foretell(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Set(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Pin(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Unpin(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Bound(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Hold(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Resume(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer Undo(Seat& seat, const exporters::ControlRequest& request, MonoTime now);
  exporters::ControlAnswer SetHolders(Seat& seat, const exporters::ControlRequest& request, Holder holder,
                                      MonoTime now);
  exporters::ControlAnswer SetHeld(Seat& seat, const exporters::ControlRequest& request, std::string by,
                                   MonoTime now);
  std::uint64_t Decide(Seat& seat, std::vector<KnobChange> changes, std::string because);
  // The same, and whoever has the lease can undo it.
  std::uint64_t Change(Seat& seat, std::vector<KnobChange> changes, std::string because, MonoTime now);
  [[nodiscard]] View Look(const Seat& seat, MonoTime now) const;
  [[nodiscard]] exporters::ControlledName NameOf(const Seat& seat) const;
  [[nodiscard]] exporters::ControlAnswer Locked(MonoTime now) const;
  // REQUIRES, of these two: somebody has the lease.
  [[nodiscard]] std::string HolderName(MonoTime now) const;
  [[nodiscard]] std::string Author(MonoTime now) const;

  exporters::ControlledAgent who_;
  const TuneMode mode_;
  std::unique_ptr<exporters::ControlServer> server_;
  std::optional<std::string> door_;  // its address, as it was asked for
  std::vector<Seat> seats_;
  Lease lease_;
  std::uint64_t made_ = 0;
};

}  // namespace sluice::app
