// SharedServer: processor sharing in virtual time, for cores and for storage. All jobs inside get the same
// share of the speed, which depends on how many there are.
//
// Its clock is the service that each job has had since the start: a job of w seconds that comes at service v
// is done at v + w, whatever comes and goes meanwhile, so one heap of these marks is enough and an event
// costs O(log jobs). One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace sluice::simulator {

// How fast n jobs are served together, in seconds of work per second.
struct SpeedCurve {
  double most = 1;            // n, but at most this; where there is no table
  std::vector<double> table;  // for 1, 2, ... jobs; the last one holds beyond
  [[nodiscard]] double Total(std::size_t jobs) const;
};

class SharedServer {
 public:
  explicit SharedServer(SpeedCurve curve) : curve_(std::move(curve)) {}

  void SetCurve(double now, SpeedCurve curve);
  // `work` in seconds at full speed; a job of its own is never faster than that.
  void Add(double now, std::uint32_t job, double work);
  // When the next job is done, unless something changes before; infinity where there is none.
  [[nodiscard]] double NextAt() const { return next_at_; }
  // The job that is done at NextAt(). REQUIRES one.
  [[nodiscard]] std::uint32_t Finish();
  [[nodiscard]] std::size_t jobs() const { return marks_.size(); }
  // The service that a job here all along would have had, in seconds.
  [[nodiscard]] double ServiceAt(double now) const { return service_ + share_ * (now - at_); }
  void Clear(double now);

 private:
  struct Mark {
    double done;
    std::uint64_t order;
    std::uint32_t job;
    bool operator>(const Mark& other) const {
      return done != other.done ? done > other.done : order > other.order;
    }
  };
  void Advance(double now);
  void Reckon();

  SpeedCurve curve_;
  std::priority_queue<Mark, std::vector<Mark>, std::greater<>> marks_;
  std::uint64_t order_ = 0;
  double at_ = 0;
  double service_ = 0;
  double share_ = 0;
  double next_at_ = std::numeric_limits<double>::infinity();
};

}  // namespace sluice::simulator
