// SteeringClient: asks whoever tunes a pipeline for what a viewer wishes, over the control socket of that
// process (docs/control-api.md). Finds the socket, takes the lease when something is to be changed, and
// remembers what can be undone. Each call waits for its answer. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/ui/steering.h"
#include "steer/control_call.h"

namespace sluice::app {

// The road to the sockets; a test has its own.
struct ControlRoad {
  std::function<std::vector<std::string>()> sockets;
  std::function<Result<ControlReply>(const std::string& socket, const ControlCall& call)> call;
};

// The sockets of a folder, over the kernel.
[[nodiscard]] ControlRoad RoadIn(const std::string& folder);

// To one place.
[[nodiscard]] ControlRoad RoadTo(const ControlPeer& peer);

// Of a measured process, as its segment names it.
struct SteeredName {
  int pid = 0;
  std::string pipeline{};
};

class SteeringClient {
 public:
  // `viewer` is who is told to hold the lease.
  SteeringClient(ControlRoad road, SteeredName whom, std::string viewer)
      : road_(std::move(road)), whom_(std::move(whom)), viewer_(std::move(viewer)) {}

  // Who holds what, as of now.
  void Look();
  void Do(const ui::Wish& wish);
  // Gives the lease back.
  void Leave();
  [[nodiscard]] const ui::SteeringSeen& seen() const { return seen_; }

 private:
  struct Place {
    std::string socket;
    std::string pipeline;  // "/v1/pipelines/0"
  };
  struct Answer;

  [[nodiscard]] bool Find();
  [[nodiscard]] Answer Call(const ControlCall& call);
  [[nodiscard]] Answer Change(const std::string& what, const std::string& body);
  [[nodiscard]] bool TakeLease();
  void Forecast(std::vector<ui::KnobValue> knobs);
  void Set(const ui::Wish& wish);
  void Undo();
  void Redo();
  void Pin(const ui::Wish& wish);
  void Bound(const ui::Wish& wish);
  void Hold(bool held);
  void Note(const Answer& answer);
  // What undoes a change.
  void NoteMade(std::vector<ui::KnobValue> before);
  void Say(std::string what);
  void Refuse(std::string why);
  void Lose(std::string why);

  ControlRoad road_;
  const SteeredName whom_;
  const std::string viewer_;
  std::optional<Place> place_;
  std::string lease_;
  std::vector<std::vector<ui::KnobValue>> made_, undone_;  // of each change, what undoes it or makes it again
  ui::SteeringSeen seen_;
  int looks_ = 0;  // since something was said
};

}  // namespace sluice::app
