#include "loaders/segment_arrivals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "sluice/probes/span_layout.h"

namespace sluice::app {
namespace {

constexpr int kTryAgainMs = 2;  // a segment is made in less than a millisecond
constexpr int kMostTries = 50;

}  // namespace

SegmentArrivals::SegmentArrivals(std::filesystem::path folder, Open open)
    : folder_(std::move(folder)), open_(std::move(open)) {}

SegmentArrivals::~SegmentArrivals() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void SegmentArrivals::Start() {
  notices_ = Fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  stop_ = Fd(eventfd(0, EFD_CLOEXEC));
  const bool works = notices_.valid() && stop_.valid() &&
                     inotify_add_watch(notices_.get(), folder_.c_str(), IN_CREATE | IN_MOVED_TO) >= 0;
  if (works) thread_ = std::thread([this] { Main(); });
}

std::vector<SegmentArrivals::Arrival> SegmentArrivals::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(arrived_, {});
}

void SegmentArrivals::Main() {
  pthread_setname_np(pthread_self(), "sluice-arrivals");
  std::array<pollfd, 2> waits{{{notices_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (true) {
    const int ready = poll(waits.data(), waits.size(), awaited_.empty() ? -1 : kTryAgainMs);
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0 && waits[1].revents != 0) return;
    ReadNotices();
    TryAwaited();
  }
}

void SegmentArrivals::ReadNotices() {
  alignas(inotify_event) std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while ((count = read(notices_.get(), bytes.data(), bytes.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof(event));
      const std::filesystem::path name = event.len > 0 ? bytes.data() + at + sizeof(event) : "";
      if (!name.empty() && name.extension() != probes::segment::kSpansSuffix)
        awaited_.push_back({(folder_ / name).string()});
      at += sizeof(event) + event.len;
    }
  }
}

void SegmentArrivals::TryAwaited() {
  std::erase_if(awaited_, [this](Awaited& awaited) {
    auto loader = open_(awaited.path);
    if (loader == nullptr) return ++awaited.tries == kMostTries;
    const MutexLock lock(mutex_);
    arrived_.push_back({std::move(awaited.path), std::move(loader)});
    return true;
  });
}

}  // namespace sluice::app
