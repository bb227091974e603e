// Estimates: what every op and the consumer cost, from clean intervals, with forgetting.
//
// Sums decay with a half-life in time, but never below a number of items, so that a slow op keeps a usable
// mean and a fast one follows a shift within seconds. One thread.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "estimate/scalability_curve.h"
#include "estimate/service_times.h"
#include "estimate/settings.h"
#include "observe/interval.h"
#include "observe/phases.h"
#include "sluice/base/regime.h"

namespace sluice::autotune {

struct OpEstimate {
  double cpu = 0;           // seconds on a core per item (d)
  double wait = 0;          // seconds off a core per item
  double bytes = 0;         // per item; of a pipeline with phases, where these are largest
  bool even = true;         // all items seen had the same size, as far as means show
  double variability = 0;   // squared coefficient of variation of the time per item
  double visits = 1;        // items per consumer item (V)
  double items = 0;         // how many this rests on
  double busy_workers = 0;  // mean number inside the op
  double utilisation = 0;   // busy / (busy + starved + backed up)
  double starved = 0;       // share of its workers' time
  double backed_up = 0;
  // Workers of a source that find something to read, where the others starve: it has so many shards.
  // Infinite where nothing speaks for such a limit.
  double useful = std::numeric_limits<double>::infinity();
  bool reads_nothing = false;        // neither files nor the network, says the graph
  Regime regime = Regime::kUnknown;  // stays while half of the evidence for it does
  Scaling curve{};
  double fewest = std::numeric_limits<double>::infinity();  // busy workers that the curve has seen

  [[nodiscard]] double service() const { return cpu + wait; }
};

struct PipelineEstimate {
  std::vector<OpEstimate> ops;
  double demand = 0;                // consumer items per second, infinite where the consumer takes no time
  double consumer_items = 0;        // how many that rests on
  double consumer_variability = 0;  // squared coefficient of variation of its steps
  double starved = 0;               // share of the consumer's time
  double other_cpu = 0;             // seconds per consumer item that the process spent outside of the ops
  double cores_used = 0;
  std::optional<double> idle;  // mean number of CPUs that nobody used; nullopt: not known
  double taken = 0;            // cores of the budget that others are believed to take
  double queued = 0;           // mean number of workers that are ready to run and have no core
  double workers = 0;          // of all ops, mean number
  double seconds = 0;          // how much time the estimates rest on
  // One lock, most likely an interpreter's, lets the CPU parts of these ops run one at a time: together they
  // use one core, whatever the number of workers. Empty: nothing speaks for it.
  std::vector<std::size_t> locked;
  std::vector<Phase> phases;  // of the pipeline; empty: one
  std::size_t phase = 0;      // the present one
};

// Seconds after which an item that entered the ops has left them, as a rule: in order, one slow item holds up
// all that overtook it.
[[nodiscard]] double LatestArrival(const PipelineEstimate& estimate);

class Estimates {
 public:
  Estimates(const Graph& graph, const EstimateSettings& settings);

  // `curves`: learn how ops scale as well. Not at rest: there nothing new is to be seen, and a shift that is
  // not noticed yet would look like contention.
  void Add(const Interval& interval, bool curves);
  // Another setting: what was learnt so far counts for little from now on. The sizes of items stay.
  void Fade();
  // Other conditions: their sizes may have changed as well.
  void Reopen();
  // The consumer has another pace: nothing of before tells of it.
  void ForgetConsumer();
  // What items cost may have shifted.
  void Reanchor();

  [[nodiscard]] PipelineEstimate Get(const std::vector<double>& visits) const;
  // Another one whenever Get() may say something else.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  struct OpSums {
    double seconds = 0, items = 0, bytes = 0, cpu = 0, wait = 0, busy = 0, starved = 0, backed_up = 0;
    ServiceTimes times;
    void Scale(double factor);
    void Add(const OpInterval& op, double interval_seconds);
  };
  // Sums since a curve learnt last.
  struct Look {
    double seconds = 0, items = 0, workers = 0, busy = 0, alive = 0, service = 0;
  };
  // What the regime of an op follows from.
  struct Found {
    bool waits = false;  // off its core for most of its time
    Scaling curve{};
  };
  void Forget();
  void FindRegimes();
  [[nodiscard]] Shape ShapeOf(std::size_t op) const;
  [[nodiscard]] Regime RegimeOf(std::size_t op) const;
  [[nodiscard]] bool IsOneLock(const std::vector<std::size_t>& ops, double doubt) const;
  void NoteSize(std::size_t index, const OpInterval& op);
  void LearnShards(std::size_t op);

  struct ConsumerSums {
    double seconds = 0, length = 0, items = 0, steps = 0, busy = 0, starved = 0, process_cpu = 0, op_cpu = 0;
    double idle = 0, idle_length = 0;
    ServiceTimes times;
    void Scale(double factor);
  };

  [[nodiscard]] double Keep(double items, double seconds) const;
  [[nodiscard]] std::vector<std::size_t> Locked() const;
  [[nodiscard]] OpEstimate GetOp(std::size_t index, double visits) const;
  void LearnCurve(std::size_t index, const OpInterval& op, double seconds);
  [[nodiscard]] PipelineEstimate WorkOut(const std::vector<double>& visits) const;
  void SizeTheUnfinished(PipelineEstimate& estimate) const;

  EstimateSettings settings_;
  Graph graph_;
  std::vector<OpSums> ops_;
  std::vector<Look> looks_;
  std::vector<ScalabilityCurve> curves_;
  std::vector<Found> found_;
  std::vector<std::size_t> locked_;
  bool anew_ = true;  // regimes are to be decided as if none had been found; until then they are as they were
  std::vector<bool> sources_;
  std::vector<double> useful_;
  std::vector<bool> uneven_;
  // Per op, the greatest mean of an interval, for pipelines with phases: what is planned in one must hold the
  // items of the next as well.
  std::vector<double> largest_;
  bool phases_;
  ConsumerSums consumer_;

  // What Get() said last, until something is learnt: it is asked several times for each decision.
  struct Known {
    std::vector<double> visits;
    PipelineEstimate estimate;
  };
  mutable std::optional<Known> known_;
  std::uint64_t version_ = 0;
};

}  // namespace sluice::autotune
