// FlightRecorder: keeps what a run did in its last seconds, and writes it to a file when the consumer stalls:
// once when that is noticed, and once more, with all of it, when it is over.
//
// A stall is a single wait for an item that is longer than it may be; the wait for the first item of an
// epoch, in which workers start, is none.
//
// One thread (the agent's). What goes wrong is a warning, never the run's concern.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "loop/trace_feed.h"
#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::app {

struct FlightOptions {
  std::string folder;  // where files go, made where it is missing; empty: nothing is kept
  std::string stall;   // that is one, with unit, as typed; empty: 2 s
};

// Whether the options make sense.
[[nodiscard]] Result<void> CheckFlight(const FlightOptions& options);

class FlightRecorder {
 public:
  // nullptr: not asked for.
  [[nodiscard]] static Result<std::unique_ptr<FlightRecorder>> Open(const FlightOptions& options);

  // The pipeline with this segment, from now on; a second time does nothing.
  void Follow(const std::string& segment);
  // After each step of the agent.
  void Look();
  // Of the pipeline with this segment; nullptr: it is not followed, or over.
  [[nodiscard]] const std::vector<exporters::Exemplars>* ExemplarsOf(const std::string& segment) const;
  // A stall that goes on is written to its end.
  void Close();

 private:
  struct Wait {
    std::uint64_t items = 0;  // that had been taken when it began
    Nanos starved{0}, starting{0};
  };
  struct Pipeline {
    TraceFeed feed;
    Wait wait;
    std::string file;  // of the stall that goes on; empty: there is none
  };
  struct Kept {
    MonoTime at{0};
    std::string events;
  };

  FlightRecorder(std::string folder, Nanos stall);
  void Keep(const TracePiece& piece, MonoTime now);
  void Judge(Pipeline& pipeline, const Snapshot& seen, bool over);
  void BeginFile(Pipeline& pipeline, Nanos waited);
  bool Write(const Pipeline& pipeline);  // false: it cannot be written, which has been said

  const std::string folder_;
  const Nanos stall_;
  const std::unique_ptr<exporters::TraceWriter> writer_;
  const std::string first_name_;  // of a file, up to its number
  std::map<std::string, std::unique_ptr<Pipeline>>
      pipelines_;      // by segment; nullptr: over, or cannot be traced
  std::string names_;  // that any file needs
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;  // of these
  int files_ = 0;
};

}  // namespace sluice::app
