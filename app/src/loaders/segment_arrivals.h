// SegmentArrivals: opens each loader's segment as soon as it appears, so that a run which is over before the
// next look is known as well: what is open stays readable when its process removes it. Where the kernel gives
// no notice (inotify) nothing arrives, and looks find what they find.
//
// Start() and Take() from one thread; segments are opened on a thread of its own.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "loaders/loader_session.h"
#include "sluice/base/fd.h"
#include "sluice/base/mutex.h"

namespace sluice::app {

class SegmentArrivals {
 public:
  // nullptr: it is not ready yet, or none.
  using Open = std::function<std::unique_ptr<LoaderSession>(const std::string& path)>;

  struct Arrival {
    std::string path;
    std::unique_ptr<LoaderSession> loader;
  };

  SegmentArrivals(std::filesystem::path folder, Open open);
  ~SegmentArrivals();  // stops
  SegmentArrivals(const SegmentArrivals&) = delete;
  SegmentArrivals& operator=(const SegmentArrivals&) = delete;

  void Start();
  // Since the last call.
  [[nodiscard]] std::vector<Arrival> Take();

 private:
  struct Awaited {
    std::string path;
    int tries = 0;
  };

  void Main();
  void ReadNotices();
  void TryAwaited();

  const std::filesystem::path folder_;
  const Open open_;
  Fd notices_, stop_;
  std::vector<Awaited> awaited_;  // of the thread
  Mutex mutex_;
  std::vector<Arrival> arrived_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace sluice::app
