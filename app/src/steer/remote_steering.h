// RemoteSteering: a SteeringClient on a thread of its own, so that whoever shows a run never waits for the
// one that tunes it.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <thread>

#include "sluice/base/mutex.h"
#include "sluice/ui/steering.h"
#include "steer/steering_client.h"

namespace sluice::app {

// Thread-safe.
class RemoteSteering {
 public:
  RemoteSteering(ControlRoad road, SteeredName whom, std::string viewer);
  ~RemoteSteering();  // gives the lease back, unless that takes long
  RemoteSteering(const RemoteSteering&) = delete;
  RemoteSteering& operator=(const RemoteSteering&) = delete;

  // Comes true in its turn. A forecast takes the place of one that still waits.
  void Send(ui::Wish wish) EXCLUDES(mutex_);
  [[nodiscard]] ui::SteeringSeen seen() const EXCLUDES(mutex_);
  // Whether there is something new since the last call.
  [[nodiscard]] bool TakeNews() EXCLUDES(mutex_);

 private:
  void Main();
  // nullopt: it is time to look. False: the end has come.
  [[nodiscard]] bool Await(std::optional<ui::Wish>& wish) EXCLUDES(mutex_);
  void Tell() EXCLUDES(mutex_);

  SteeringClient client_;  // its thread's
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<ui::Wish> wishes_ GUARDED_BY(mutex_);
  ui::SteeringSeen seen_ GUARDED_BY(mutex_);
  bool news_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// "alice's window 4242": what two of one user can be told apart by.
[[nodiscard]] std::string ViewerName(const char* what);

}  // namespace sluice::app
