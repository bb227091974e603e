// SimScenario: a pipeline to be simulated, its consumer, its machine and what happens to them, as a plain
// value. Written by hand or read from a file (sim_scenario_file.h; scenarios/sim/README.md explains the same
// fields). What is in common with a live scenario has the same name and the same meaning.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/distribution.h"
#include "sluice/base/error.h"
#include "sluice/base/graph.h"
#include "sluice/base/units.h"

namespace sluice::simulator {

enum class SimKind : std::uint8_t {
  kRange,      // a source of rows
  kSynthetic,  // one item in, one item out
  kBatch,      // `size` rows become one item
  kZip,        // one item of every input becomes one item
  kConcat,     // all of an epoch's items of the first input, then of the second, ...
  kShuffle,    // holds `buffer` items before it lets one go; at an epoch's end all of them
};

struct SimOp {
  std::string name;  // unique
  SimKind kind = SimKind::kSynthetic;
  // Indices of earlier ops. Empty: the op before this one (a source has no input). Every op feeds one other
  // op, the last one feeds the consumer.
  std::vector<std::uint32_t> inputs{};
  std::uint64_t count = 0;      // kRange: rows per epoch
  std::uint32_t size = 1;       // kBatch: input items per item
  bool drop_remainder = false;  // kBatch: leave out an epoch's last batch when it is not full
  std::uint32_t buffer = 0;     // kShuffle: items that it holds

  // What one output item costs: first a read from the storage, then time off the CPU, then CPU time.
  Distribution burn{};
  Distribution wait{};
  Contention contention{};  // on burn and wait
  // Rows of two kinds: such a share of the items costs so many times what the others do. The means stay.
  double dear_share = 0;
  double dear_factor = 1;
  Bytes read{0};  // from the storage; the mean where read_cv says that it varies (lognormal)
  double read_cv = 0;
  double requests = 0;  // to the storage
  Bytes allocate{0};    // size of the item; 0: that of its inputs together

  int workers = 1;
  int capacity = 16;    // items in the connector behind the op
  bool serial = false;  // never more than one worker
  bool ordered = true;  // false: items leave in the order they are finished
  int shards = 0;       // at most so many workers find something to do; 0: no such limit. No knob shows it
  bool gil = false;     // the CPU parts of all ops with this lock run one at a time
  Nanos startup{0};     // that a worker needs before it takes its first item
  int min_workers = 1, max_workers = 64;
  int min_capacity = 1, max_capacity = 1024;
  bool pin_workers = false, pin_capacity = false;
};

// Works `step` (off our cores) and then `burn` (on them) on each item. Both 0: as fast as possible.
struct SimConsumer {
  Distribution step{};
  Distribution burn{};
};

// Shared by all reads of all ranks. An item takes read / bandwidth + requests / request_rate seconds of the
// storage at full speed; reads share its speed evenly.
struct SimStorage {
  Bytes bandwidth{0};       // per second; 0: reading bytes takes no time
  double request_rate = 0;  // per second; 0: requests take no time
  // The share of full speed that 1, 2, 3, ... reads at once reach together; the last one holds beyond.
  std::vector<double> parallelism{};
};

struct SimHost {
  double cores = 8;  // core budget of the host, shared by all work that wants to run (processor sharing)
  int ranks = 1;     // pipelines on the host, equal but for `load`
  std::vector<double> load{};  // by rank: factor on what its items cost; empty: 1 for each
  int nodes = 1;               // NUMA nodes; cores are divided evenly
  double remote_penalty = 1;   // by how much CPU time grows on an item that was made on another node
  bool placement = false;      // ops can be bound to a node (a knob)
  Bytes memory{0};             // buffered bytes of all ranks beyond which the run is killed; 0: no limit
  Nanos restart = std::chrono::seconds(30);  // from being killed to running again
  double noise = 0;        // relative sd of every op's speed, drawn anew every 100 ms, mean speed unchanged
  double meter_noise = 0;  // relative sd of each time that one tick adds to a counter; items stay exact
};

// From `at` on. All factors are relative to the scenario, not to an earlier event.
struct SimEvent {
  Nanos at{0};
  std::optional<std::uint32_t> op{};  // whose cost changes; nullopt: every op's
  std::optional<double> cost{};       // factor on burn, wait and storage time
  std::optional<double> cores{};      // the budget (quota) becomes
  std::optional<double> neighbour{};  // cores that somebody else takes; the budget does not show it
  std::optional<double> step{};       // factor on the consumer's time
  std::optional<Bytes> memory{};      // the byte budget becomes
};

struct SimScenario {
  std::string name = "scenario";
  std::string summary;
  std::uint64_t seed = 1;
  std::uint64_t epochs = 1;  // 0: endless
  bool drain = false;        // sources wait at an epoch's end until the consumer has taken all of it
  Nanos pause{0};            // the consumer's, after each epoch
  Nanos duration = std::chrono::minutes(2);  // of an evaluation
  Bytes memory{
      0};  // byte budget of one rank that a controller is told; 0: a quarter of the machine's, shared
  std::vector<SimOp> ops;  // in topological order; the last one feeds the consumer
  SimConsumer consumer{};
  SimStorage storage{};
  SimHost machine{};
  std::vector<SimEvent> events{};  // by time
};

// Everything that is impossible or absurd; errors name op or section, and field.
[[nodiscard]] Result<void> Validate(const SimScenario& scenario);

// "range", "synthetic", "batch", "zip" or "concat".
[[nodiscard]] std::string_view KindName(SimKind kind);
// The inputs of an op, explicit or implied. REQUIRES op < scenario.ops.size().
[[nodiscard]] std::vector<std::uint32_t> InputsOf(const SimScenario& scenario, std::size_t op);
// The pipeline's shape as a snapshot shows it; connector i stands behind op i. REQUIRES Validate.
[[nodiscard]] Graph GraphOf(const SimScenario& scenario);

}  // namespace sluice::simulator
