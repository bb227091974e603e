// Runs pipelines for tests and keeps what they delivered as plain values.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/runtime/pipeline.h"

namespace sluice::runtime {

// What one call of Next gave.
struct Taken {
  Pipeline::Got got = Pipeline::Got::kEnd;
  ItemKind kind = ItemKind::kRow;
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> indices{};
  std::vector<std::int64_t> labels{};
  std::vector<std::vector<std::uint64_t>> others{};  // indices of a zip's other columns
  std::uint64_t content = 0;  // hash of the bytes, the shape and one-hot labels, of all columns
  std::string error{};
  friend bool operator==(const Taken&, const Taken&) = default;
};
[[nodiscard]] Taken Keep(Pipeline::Got got, const Item& item);
[[nodiscard]] std::string Text(const Taken& taken);

// Not visible to other processes, and no stall watchdog that speaks up on a slow machine.
[[nodiscard]] PipelineOptions Private();
// The same on two nodes made of the first and the last CPU that the test may use. Node 0 is real; no page can
// be put on node 1.
[[nodiscard]] PipelineOptions TwoNodes();
// Aborts the test with the error's text when the description cannot be built.
[[nodiscard]] std::unique_ptr<Pipeline> MustBuild(const PipelineDescription& description,
                                                  const PipelineOptions& options = Private());
[[nodiscard]] Snapshot ReadCounters(const Pipeline& pipeline);
[[nodiscard]] std::vector<std::string> EventsOf(const Pipeline& pipeline);
// Threads of this process, now.
[[nodiscard]] int Threads();

// Ends the test program, saying what every thread waits for, when a pipeline hangs: when no op has finished
// an item for a while. A failure must not look like a test that takes long, nor a busy machine like a
// failure.
class Watchdog {
 public:
  explicit Watchdog(const Pipeline& pipeline, std::string what = "the pipeline");
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Watch(const Pipeline& pipeline);
  const std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// Changes workers (1..16) and capacities (1..64) of all ops at random, one change after the other has been
// applied, until it is destroyed.
class RandomResizer {
 public:
  RandomResizer(Pipeline& pipeline, std::uint64_t seed);
  ~RandomResizer();
  RandomResizer(const RandomResizer&) = delete;
  RandomResizer& operator=(const RandomResizer&) = delete;
  [[nodiscard]] std::uint64_t changes() const { return changes_.load(); }

 private:
  void Resize(Pipeline& pipeline, std::uint64_t seed);
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> changes_{0};
  std::thread thread_;
};

// Runs to the end under a Watchdog; the last element tells kEnd. Starts the pipeline.
[[nodiscard]] std::vector<Taken> TakeAll(Pipeline& pipeline);
[[nodiscard]] std::vector<Taken> RunAll(const PipelineDescription& description);
// The same while a RandomResizer is at work.
[[nodiscard]] std::vector<Taken> RunAllResized(const PipelineDescription& description, std::uint64_t seed);

// A copy in which every op that may has so many workers, and every connector that capacity.
[[nodiscard]] PipelineDescription Sized(PipelineDescription description, int workers, int capacity);
// All rows' indices in the order in which they came; error and epoch marks left out.
[[nodiscard]] std::vector<std::uint64_t> IndicesOf(const std::vector<Taken>& taken);
[[nodiscard]] std::vector<std::uint64_t> UpTo(std::uint64_t n);

// Fails with the first difference.
void ExpectSame(const std::vector<Taken>& wanted, const std::vector<Taken>& got, const std::string& what);

}  // namespace sluice::runtime
