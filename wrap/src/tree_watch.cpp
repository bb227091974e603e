#include "sluice/wrap/tree_watch.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "sluice/base/clock.h"

namespace sluice::wrap {
namespace {

constexpr Nanos kFirst = std::chrono::milliseconds(20);  // then twice as long each time
constexpr Nanos kUsual = std::chrono::milliseconds(250);
constexpr Nanos kGpus = std::chrono::seconds(1);
constexpr Nanos kFirstPss = std::chrono::seconds(1);
constexpr Nanos kPss = std::chrono::seconds(5);
// Looks take at most this share of one core, and the walk over all pages, which holds up the process, less.
constexpr int kLookShare = 200;
constexpr int kPssShare = 1000;

}  // namespace

TreeWatch::TreeWatch(pid_t command, std::string mark, std::string python_path)
    : tree_(command, std::move(mark), "", std::move(python_path)),
      next_pss_(MonoNow() + kFirstPss),
      thread_([this] { Main(); }) {}

TreeWatch::~TreeWatch() {
  Stop();
}

void TreeWatch::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

std::vector<GpuUse> TreeWatch::gpus() const {
  return gpus_ != nullptr ? gpus_->Use() : std::vector<GpuUse>();
}

bool TreeWatch::StoppedWithin(Nanos time) {
  const MonoTime end = MonoNow() + time;
  MutexLock lock(mutex_);
  while (!stop_ && MonoNow() < end) wake_.WaitFor(mutex_, end - MonoNow());
  return stop_;
}

void TreeWatch::Main() {
  pthread_setname_np(pthread_self(), "sluice-tree");
  tree_.Sample(MonoNow());
  gpus_ = GpuProbe::Open();
  const MonoTime start = MonoNow();
  Nanos pause = kFirst;
  for (Nanos wait = pause; !StoppedWithin(wait);) {
    Sample(MonoNow());
    pause = std::min(pause * 2, kUsual);
    const Nanos paid_off = ReadClock(CLOCK_THREAD_CPUTIME_ID) * kLookShare;
    wait = std::max(pause, paid_off - (MonoNow() - start));
  }
  tree_.Sample(MonoNow());
}

void TreeWatch::Sample(MonoTime now) {
  tree_.Sample(now);
  if (gpus_ != nullptr && now >= next_gpus_) {
    gpus_->Sample();
    next_gpus_ = now + kGpus;
  }
  if (now < next_pss_) return;
  const MonoTime before = MonoNow();
  tree_.SamplePss();
  const MonoTime after = MonoNow();
  next_pss_ = after + std::max(kPss, (after - before) * kPssShare);
}

}  // namespace sluice::wrap
