// Feed: what the window is fed from: a live process, which can be steered, or a recorded session. Desk: what
// there is to open and to start. The seam between the window and whoever joins it with the other rooms.
//
// One thread, the window's.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/ui/compare.h"
#include "sluice/ui/plan.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

// What is looked at; times are since the run's start.
struct Look {
  std::optional<Nanos> until{};  // nullopt: the newest there is
  std::optional<Nanos> from{};   // nullopt: shortly before `until`
  bool machine = false;          // Scene::machine_now is wanted
};

class Feed {
 public:
  virtual ~Feed() = default;
  // Takes in what is new. Returns whether there was any.
  virtual bool Poll() = 0;
  [[nodiscard]] virtual const Track& track() const = 0;
  // Whether it may go on.
  [[nodiscard]] virtual bool live() const { return false; }
  // The one of this place in Scene::ranks, instead; nullptr: it cannot be shown by itself.
  [[nodiscard]] virtual Result<std::unique_ptr<Feed>> OpenRank(std::size_t /*rank*/) { return nullptr; }
  // Comes true later, and is told by a scene. Nothing happens where it cannot.
  virtual void Send(const Wish& /*wish*/) {}
  // An error that names the file where it has become unreadable.
  [[nodiscard]] virtual Result<Scene> At(const Look& look) = 0;
  // A recorded run is A, and the session in `file` B.
  [[nodiscard]] virtual Result<Comparison> CompareWith(const std::string& /*file*/) {
    return Fail(kRecordFirst);
  }
};

struct StartEntry {
  std::string title{};   // "imagenet"
  std::string detail{};  // "pid 4242, running, 12.3 k/s"
  std::string opens{};   // what Desk::Open takes; empty: it is a scenario
  std::string plans{};   // what Desk::PlanOf takes
};

struct StartList {
  std::string title{};
  std::vector<StartEntry> entries{};
  std::string empty{};    // said where there are none, with what to do
  bool sessions = false;  // its entries are session files
};

// What there is to see of a run that was started: with one beside it, where the plan has one.
struct Opened {
  std::unique_ptr<Feed> feed{};
  std::optional<Comparison> beside{};
};

// A run or a simulation that the window has started. It ends with this.
class Started {
 public:
  virtual ~Started() = default;
  // nullopt: not yet. An error where it has ended before there was something to see, and why. REQUIRES: it
  // has given neither.
  [[nodiscard]] virtual Result<std::optional<Opened>> Poll() = 0;
  // "starting mixed, 0.4s"
  [[nodiscard]] virtual std::string doing() const = 0;
  // As in StartEntry.
  [[nodiscard]] virtual std::string opens() const = 0;
  [[nodiscard]] virtual bool goes_on() = 0;
  // As Ctrl+C does: it ends in good order, soon.
  virtual void Stop() = 0;
};

class Desk {
 public:
  virtual ~Desk() = default;
  // Running processes, recent sessions, shipped scenarios and simulated ones.
  [[nodiscard]] virtual std::vector<StartList> Lists() = 0;
  // A PID or a session's file.
  [[nodiscard]] virtual Result<std::unique_ptr<Feed>> Open(const std::string& what) = 0;
  // What a scenario's run would begin with.
  [[nodiscard]] virtual Result<Plan> PlanOf(const std::string& scenario) = 0;
  // How it is started in a terminal.
  [[nodiscard]] virtual std::string CommandOf(const Plan& plan) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Started>> Start(const Plan& plan) = 0;
};

}  // namespace sluice::ui
