#include "session/player.h"

#include <algorithm>

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kStep{1};
constexpr std::chrono::seconds kFarStep{10};
constexpr double kSlowest = 1.0 / 16;
constexpr double kFastest = 1024;

}  // namespace

void Player::Seek(MonoTime when) {
  at_ = std::clamp(when, first_, last_);
}

void Player::Pass(Nanos time) {
  if (!paused_) Seek(at_ + std::min(FromSeconds(Seconds(time) * speed_), last_ - at_));
}

void Player::Press(Key key) {
  switch (key) {
    case Key::kPause:
      paused_ = !paused_;
      break;
    case Key::kBack:
      Seek(at_ - kStep);
      break;
    case Key::kForward:
      Seek(at_ + kStep);
      break;
    case Key::kFarBack:
      Seek(at_ - kFarStep);
      break;
    case Key::kFarForward:
      Seek(at_ + kFarStep);
      break;
    case Key::kStart:
      at_ = first_;
      break;
    case Key::kEnd:
      at_ = last_;
      break;
    case Key::kFaster:
      speed_ = std::min(speed_ * 2, kFastest);
      break;
    case Key::kSlower:
      speed_ = std::max(speed_ / 2, kSlowest);
      break;
    case Key::kQuit:
      break;
  }
}

}  // namespace sluice::app
