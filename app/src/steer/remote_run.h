// RemoteRun: a pipeline of another process, of this machine or another one, as its control socket tells it. A
// thread of its own listens, so that whoever shows the run never waits for it; what is lost is looked for
// again.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/exporters/snapshot_line.h"
#include "steer/control_connection.h"

namespace sluice::app {

// Thread-safe.
class RemoteRun {
 public:
  // One of the pipelines that answer at a place.
  struct Listed {
    std::size_t pipeline = 0;  // its number there
    std::string name{};
    std::optional<int> rank{};
    int pid = 0;
    bool over = false;
  };

  // Waits for the first answer, five seconds at most. `loader`: of several pipelines, the one with this in
  // its name. Errors name the place and say what there is.
  [[nodiscard]] static Result<std::unique_ptr<RemoteRun>> Open(const ControlPeer& peer,
                                                               const std::string& loader);
  // The pipeline of this number.
  [[nodiscard]] static Result<std::unique_ptr<RemoteRun>> Open(const ControlPeer& peer, std::size_t pipeline);
  ~RemoteRun();
  RemoteRun(const RemoteRun&) = delete;
  RemoteRun& operator=(const RemoteRun&) = delete;

  // As of Open(), with all decisions.
  [[nodiscard]] const exporters::SeenPipeline& first() const { return first_; }
  // What has come since the last call, oldest first.
  [[nodiscard]] std::vector<exporters::SeenPipeline> Take() EXCLUDES(mutex_);
  // Its run has ended, and has said so.
  [[nodiscard]] bool over() const EXCLUDES(mutex_);
  // When it was last heard, by the clock of this machine.
  [[nodiscard]] MonoTime heard() const EXCLUDES(mutex_);
  // Why the last try to hear it came to nothing; empty: it is heard, or nothing is known.
  [[nodiscard]] std::string lost() const EXCLUDES(mutex_);
  // All that answered there when a connection was last made, this one among them.
  [[nodiscard]] std::vector<Listed> listed() const EXCLUDES(mutex_);
  [[nodiscard]] const ControlPeer& peer() const { return peer_; }
  [[nodiscard]] std::size_t pipeline() const { return pipeline_; }

 private:
  RemoteRun(ControlPeer peer, std::size_t pipeline, exporters::SeenPipeline first,
            std::vector<Listed> listed);
  void Main() EXCLUDES(mutex_);
  // Until the connection is lost, which is the error, or the end.
  [[nodiscard]] Result<void> Listen() EXCLUDES(mutex_);
  [[nodiscard]] Result<void> List() EXCLUDES(mutex_);
  void Hear(const std::string& line) EXCLUDES(mutex_);
  [[nodiscard]] bool Ends() const EXCLUDES(mutex_);

  const ControlPeer peer_;
  const std::size_t pipeline_;
  const exporters::SeenPipeline first_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<exporters::SeenPipeline> waiting_ GUARDED_BY(mutex_);
  MonoTime heard_ GUARDED_BY(mutex_);
  std::string lost_ GUARDED_BY(mutex_);
  std::vector<Listed> listed_ GUARDED_BY(mutex_);
  bool over_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace sluice::app
