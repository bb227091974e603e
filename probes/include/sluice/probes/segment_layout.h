// The telemetry segment, byte by byte: the one contract between a measured process and everybody else.
// docs/telemetry-segment.md describes the same layout for readers in other languages.
//
// One file per pipeline of a process. Every field is naturally aligned and little-endian; times are
// nanoseconds, monotonic ones on CLOCK_MONOTONIC. Counters are single-writer: relaxed load + store, never a
// locked instruction; the order of stores that keeps readers exact is in intervals.h. A reader trusts
// nothing: see segment_reader.h.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sluice::probes::segment {

inline constexpr char kMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'T', 'S'};
inline constexpr std::uint32_t kMajor = 1;  // must match
inline constexpr std::uint32_t kMinor = 5;  // larger ones only add

inline constexpr std::uint32_t kMaxOps = 64;
inline constexpr std::uint32_t kMaxConnectors = 64;
inline constexpr std::uint32_t kMaxWorkers = 1024;
inline constexpr std::uint32_t kMaxKnobs = 192;
inline constexpr std::uint32_t kDecisionRing = 256;
inline constexpr std::uint32_t kEventRing = 256;
inline constexpr std::size_t kNameSize = 48;  // bytes, NUL-terminated UTF-8
inline constexpr std::size_t kLatencyBuckets = 40;

using Counter = std::atomic<std::uint64_t>;
using Gauge = std::atomic<std::int64_t>;
static_assert(Counter::is_always_lock_free && sizeof(Counter) == 8);

// Single-writer increments: the caller owns the counter. A writer that closes an interval moves `since`
// first and adds second, a reader loads the counter first (acquire) and `since` second: so a racing read
// may miss an interval, it never counts one twice.
inline void Add(Counter& c, std::uint64_t n) {
  c.store(c.load(std::memory_order_relaxed) + n, std::memory_order_release);
}

enum class RunState : std::uint32_t { kStarting = 0, kRunning = 1, kFinished = 2 };
enum class WorkerState : std::uint32_t { kUnused = 0, kStarved = 1, kBackedUp = 2, kBusy = 3, kRetired = 4 };

struct Section {
  std::uint64_t offset;  // bytes from the segment's start
  std::uint32_t stride;  // bytes per entry; at least the size known to this version
  std::uint32_t count;   // entries that exist; for rings and slots, the capacity
};

struct alignas(64) Header {
  char magic[8];
  std::uint32_t major;
  std::uint32_t minor;
  std::uint64_t total_size;  // bytes
  std::uint32_t pid;
  std::uint32_t uid;
  std::uint64_t start_ticks;  // field 22 of /proc/<pid>/stat: tells a reused pid apart
  char run_id[40];            // UUID text, NUL-terminated
  char program[64];           // what runs, for `sluice ls`
  std::int32_t rank;          // -1: none
  std::int32_t world_size;
  std::int32_t local_rank;
  std::int32_t local_world_size;
  std::int64_t clock_mono;  // the same moment on both clocks
  std::int64_t clock_wall;
  Section ops;
  Section connectors;
  Section workers;
  Section knobs;
  Section consumer;
  Section decisions;
  Section events;
  std::atomic<std::uint32_t> ready;  // 1 once everything above and the graph are written
  std::atomic<std::uint32_t> state;  // RunState
  Gauge heartbeat;                   // monotonic, about once a second
  Counter epoch;
  Gauge buffered_bytes;
  Gauge buffered_peak;
  Gauge memory_limit;                       // byte budget; 0: none
  std::atomic<std::uint64_t> cores_milli;   // core budget in thousandths
  std::atomic<std::uint32_t> knob_futex;    // grows with each request; waited on by the measured process
  std::atomic<std::uint32_t> workers_used;  // worker slots ever handed out; only grows
  // Since 1.2: the epoch that ended last, in the consumer's eyes. Its fields first, then the number.
  Counter epochs_ended;
  Counter epoch_ns;        // from its first request to its last item, start-up included
  Counter epoch_first_ns;  // of it, to the first item
  Counter epoch_items;
  Gauge epoch_workers;  // of the op whose workers are a knob; -1: it was changed in the course
  Gauge epoch_capacity;
  Counter epoch_length;   // items of the one that goes on, as far as anybody knows; 0: nobody does
  Counter start_ns;       // CPU time that the run itself needs to start one worker, as last measured
  Counter start_cpu_ns;   // CPU time of that worker beside its fetches, until its third; by the workers
  Counter starting_ns;    // of the consumer's starved_ns: until the first item of each epoch that has one
  Counter starting_from;  // 1 + starved_ns when an epoch was begun that has no item yet; 0: there is none
  // Since 1.3, by whoever traces: spans are written until then, monotonic; see span_layout.h.
  Gauge trace_until;
  Section steps;  // since 1.4
  // Since 1.5, by whoever shares out the host's cores: what workers may keep busy together, in thousandths of
  // a core; 0: as many as they like.
  std::atomic<std::uint64_t> pace_milli;
};
inline constexpr std::uint64_t kHeaderBefore14 = 448;  // bytes
static_assert(sizeof(Header) <= 1024);

enum OpFlag : std::uint32_t {
  kOpSerial = 1,        // cannot have more than one worker
  kOpPassesOn = 2,      // its items are those it takes, in the same memory
  kOpReadsNothing = 4,  // neither files nor the network
};

struct OpEntry {
  char name[kNameSize];
  char kind[16];
  std::uint32_t flags;  // OpFlag
  std::uint32_t rows_per_item;
  Counter failed;  // rows that raised, were skipped or replaced
};

struct ConnectorEntry {
  char name[2 * kNameSize + 4];
  std::uint32_t from;  // op index
  std::uint32_t to;    // op index, or kToConsumer
  // Since 1.1: 0, or the process that is bringing the times up to date, where several processes write.
  std::atomic<std::uint32_t> lock;
  alignas(64) Counter pushed;  // all of these: the connector, under its own lock
  Counter popped;
  Counter pushed_bytes;
  Counter popped_bytes;
  Counter depth_integral;  // item * nanoseconds
  Counter empty_ns;        // closed intervals only; add (now - changed) while depth == 0
  Counter full_ns;         // closed intervals only; add (now - full_since) while full_since != 0
  Counter high_water;
  Gauge depth;
  Gauge changed;     // monotonic: when depth and integral were last brought up to date; 0: being changed
  Gauge full_since;  // monotonic; 0: there is room
  Gauge capacity;
};
inline constexpr std::uint32_t kToConsumer = 0xffffffff;

struct alignas(64) WorkerSlot {
  std::atomic<std::uint32_t> state;  // WorkerState
  std::atomic<std::uint32_t> op;     // op index
  std::atomic<std::int32_t> tid;     // the thread that owns this slot; 0: none yet
  std::atomic<std::int32_t> pid;     // since 1.1: the process of that thread; 0: the header's
  Gauge since;                       // monotonic: when `state` began; 0: is being changed, see intervals.h
  Counter items;
  Counter bytes;
  Counter busy_ns;  // closed intervals only; add (now - since) for the current state. 0 in a part's slot
  Counter starved_ns;
  Counter backed_up_ns;
  Counter helped_ns;                 // of busy_ns, spent by another thread on this slot's behalf. In a part's
                                     // slot: all its time, which is part of another op's busy_ns
  Counter thread_helping_ns;         // time this slot's thread spent on other slots' behalf
  Counter latency[kLatencyBuckets];  // log2 ns per item
};

struct alignas(64) ConsumerEntry {
  Counter items;
  Counter rows;
  Counter busy_ns;  // closed intervals only, as for workers
  Counter starved_ns;
  std::atomic<std::uint32_t> state;  // WorkerState: kBusy or kStarved; kUnused before the first item
  std::atomic<std::int32_t> tid;
  Gauge since;
  Counter helping_ns;  // of starved_ns, spent running ops of the pipeline
};

// How long the consumer worked on an item, and how long it waited for one.
struct alignas(64) StepEntry {
  Counter step[kLatencyBuckets];  // log2 ns per item, as of workers; closed intervals only
  Counter wait[kLatencyBuckets];
};

struct alignas(64) KnobCell {
  char name[kNameSize];
  std::uint32_t kind;  // KnobKind
  std::uint32_t target;
  std::int64_t min;
  std::int64_t max;
  std::uint32_t takes_effect;         // TakesEffect
  std::atomic<std::uint32_t> holder;  // Holder
  Gauge requested;                    // written by the agent
  Gauge applied;                      // written by the measured process
  Counter generation;                 // grows when `applied` changes
  std::atomic<std::uint32_t> held;    // since 1.1: HeldBecause; the run leaves a held knob where it is
  // Since 1.5, of a placement: of the op's buffers how many pages were looked at last, and how many of them
  // are on its nodes; 0: none yet.
  Gauge pages;
  Gauge pages_at_home;
};
static_assert(sizeof(KnobCell) == 128);

// A ring entry is valid when `sequence` is the same odd-free value before and after it is copied:
// 0 never written; 2k+1 being written; 2k+2 holds the k-th record.
struct alignas(64) RingRecord {
  Counter sequence;
  Gauge at;  // monotonic
  std::atomic<std::uint64_t>
      text[54];  // NUL-padded UTF-8 (a decision's JSON, an event's sentence), 432 bytes
};

}  // namespace sluice::probes::segment
