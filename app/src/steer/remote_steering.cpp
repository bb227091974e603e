#include "steer/remote_steering.h"

#include <fmt/format.h>
#include <pthread.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::size_t kLongestUser = 32;  // bytes

}  // namespace

RemoteSteering::RemoteSteering(ControlRoad road, SteeredName whom, std::string viewer)
    : client_(std::move(road), std::move(whom), std::move(viewer)), thread_([this] { Main(); }) {}

RemoteSteering::~RemoteSteering() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void RemoteSteering::Send(ui::Wish wish) {
  const MutexLock lock(mutex_);
  if (wish.ask == ui::Ask::kForecast)
    std::erase_if(wishes_, [](const ui::Wish& waits) { return waits.ask == ui::Ask::kForecast; });
  wishes_.push_back(std::move(wish));
  changed_.NotifyAll();
}

ui::SteeringSeen RemoteSteering::seen() const {
  const MutexLock lock(mutex_);
  return seen_;
}

bool RemoteSteering::TakeNews() {
  const MutexLock lock(mutex_);
  return std::exchange(news_, false);
}

void RemoteSteering::Main() {
  pthread_setname_np(pthread_self(), "sluice-ask");
  std::optional<ui::Wish> wish;
  do {
    wish ? client_.Do(*wish) : client_.Look();
    Tell();
  } while (Await(wish));
  client_.Leave();
}

bool RemoteSteering::Await(std::optional<ui::Wish>& wish) {
  const MutexLock lock(mutex_);
  if (wishes_.empty() && !ending_) changed_.WaitFor(mutex_, kLookEvery);
  wish.reset();
  if (wishes_.empty()) return !ending_;
  wish = std::move(wishes_.front());
  wishes_.pop_front();
  return true;
}

void RemoteSteering::Tell() {
  const MutexLock lock(mutex_);
  seen_ = client_.seen();
  news_ = true;
}

std::string ViewerName(const char* what) {
  const passwd* const user = getpwuid(getuid());
  std::string name = user != nullptr ? user->pw_name : fmt::to_string(getuid());
  std::erase_if(name, [](unsigned char c) { return c < ' ' || c >= 0x7f; });
  return fmt::format("{}'s {} {}", name.substr(0, kLongestUser), what, getpid());
}

}  // namespace sluice::app
