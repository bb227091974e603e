// Pipeline: a description, built and running.
//
//   auto pipeline = Pipeline::Build(description);        // opens the data, allocates nothing big
//   (*pipeline)->Start();
//   Item batch;
//   while ((*pipeline)->Next(batch) == Pipeline::Got::kItem) Train(batch);
//
// Threads: Build, Start, Next, Stop and the destructor belong to one thread, the consumer's. SetWorkers,
// SetCapacity, SetPlacement and Describe may be called from any thread at any time between Start and the
// destructor. The pipeline has its workers and one control thread ("sluice-control") that applies knob
// requests from the telemetry segment, keeps its heartbeat, and reports a stall.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/failed_row.h"
#include "sluice/base/graph.h"
#include "sluice/base/knob.h"
#include "sluice/base/placement.h"
#include "sluice/base/topology.h"
#include "sluice/runtime/description.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {

struct PipelineOptions {
  bool measure = true;         // false: no counters (to measure what measuring costs)
  bool shared_segment = true;  // false: other processes cannot attach
  std::string segment_folder;  // empty: the default
  std::string program;         // what `sluice ls` shows; empty: the description's name
  double cores = 0;            // core budget; 0: what the machine gives
  // Where ops can be placed: numbers and CPUs count. With fewer than two nothing can.
  std::vector<NumaNode> nodes{};
  // Without any item passing for so long while the consumer waits, an event names what every thread waits
  // for. 0: never.
  std::chrono::seconds stall_after{30};
};

class Pipeline {
 public:
  // Errors name what is wrong with the description or the data.
  [[nodiscard]] static Result<std::unique_ptr<Pipeline>> Build(const PipelineDescription& description,
                                                               const PipelineOptions& options = {});
  ~Pipeline();  // stops; no thread is left
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void Start();

  enum class Got : std::uint8_t {
    kItem,      // `item` is a row or a batch
    kEpochEnd,  // an epoch is complete; item.epoch says which
    kError,     // a row raised, in its place; item.error() says what. The run is over.
    kEnd,       // all epochs are complete, or Stop was called
  };
  // The next item. Gives back the memory of what `item` held before; hold as few items as you can, they
  // count against the budget. Blocks; the time until the next call counts as the consumer's own.
  [[nodiscard]] Got Next(Item& item);

  // Ends the run early. Thread-safe; wakes a Next that waits.
  void Stop();
  // Stops, and waits for at most `patience` until the workers have left, which they do between two items.
  // False: some are inside a call that has not come back (Inside names them). The destructor would wait for
  // them. Any thread.
  [[nodiscard]] bool StopWithin(Nanos patience);
  // For a process that ends at once, by _exit, while workers are inside a call: readers see that the run is
  // over, and its segment goes. Nothing else may follow. Any thread.
  void Abandon();

  // Live changes; values are clamped to the knob's range. Also reached through the segment's knob cells.
  void SetWorkers(OpId op, int workers);
  void SetCapacity(ConnectorId connector, int capacity);
  // One that the kernel refuses is told as an event, and the op stays where it was. Does nothing where
  // nothing can be placed.
  void SetPlacement(OpId op, const Placement& placement);

  [[nodiscard]] const Graph& graph() const;
  [[nodiscard]] std::span<std::byte> segment() const;     // for a reader or requester in this process
  [[nodiscard]] const std::string& segment_path() const;  // empty: private memory
  [[nodiscard]] const std::string& warning() const;       // why the segment is private; empty: it is not
  // For what is buffered: the byte budget less what the data set holds for good.
  [[nodiscard]] Bytes memory_limit() const;
  void LogDecision(std::int64_t at_mono, std::string_view json);  // into the segment's ring
  // What every thread does or waits for, op by op, in one line.
  [[nodiscard]] std::string Describe() const;
  // The row that a worker has been inside of for longest: "read has been inside row 7 (data/train/cat/3.jpg)
  // for 31.2s". Empty: none is inside of any.
  [[nodiscard]] std::string Inside() const;

  // Rows that failed, whatever became of them (OpSpec::on_error). Both from any thread.
  [[nodiscard]] RowFailures failures() const;
  // One by one, each when it failed first, in that order, from number `from` on. Ends after the first
  // 100 000 of a run.
  [[nodiscard]] std::vector<FailedRow> FailedRowsFrom(std::size_t from) const;

 private:
  struct Impl;
  explicit Pipeline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::runtime
