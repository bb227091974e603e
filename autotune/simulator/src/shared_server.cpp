#include "shared_server.h"

#include <algorithm>

namespace sluice::simulator {

double SpeedCurve::Total(std::size_t jobs) const {
  if (jobs == 0) return 0;
  if (!table.empty()) return table[std::min(jobs, table.size()) - 1];
  return std::min(static_cast<double>(jobs), most);
}

void SharedServer::Advance(double now) {
  service_ = ServiceAt(now);
  at_ = now;
}

void SharedServer::Reckon() {
  if (marks_.empty()) {
    share_ = 0;
    next_at_ = std::numeric_limits<double>::infinity();
    return;
  }
  share_ = curve_.Total(marks_.size()) / static_cast<double>(marks_.size());
  next_at_ = at_ + std::max(0.0, marks_.top().done - service_) / share_;
}

void SharedServer::SetCurve(double now, SpeedCurve curve) {
  Advance(now);
  curve_ = std::move(curve);
  Reckon();
}

void SharedServer::Add(double now, std::uint32_t job, double work) {
  Advance(now);
  marks_.push({service_ + work, order_++, job});
  Reckon();
}

std::uint32_t SharedServer::Finish() {
  const Mark done = marks_.top();
  marks_.pop();
  service_ = std::max(service_, done.done);
  at_ = next_at_;
  Reckon();
  return done.job;
}

void SharedServer::Clear(double now) {
  Advance(now);
  marks_ = {};
  Reckon();
}

}  // namespace sluice::simulator
