// A made-up but realistic JPEG run for the exporters' tests: five ops, decode is the limit.
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/belief.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/live_table.h"
#include "sluice/exporters/run_report.h"

namespace sluice::exporters::example {

inline constexpr MonoTime kStart = std::chrono::seconds(1000);

inline std::shared_ptr<const Graph> JpegGraph() {
  Graph graph;
  graph.ops = {{"read", "source", false, 1},
               {"shuffle", "shuffle", true, 1},
               {"decode", "map", false, 1},
               {"augment", "map", false, 1},
               {"batch", "batch", false, 64}};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::string to = i < 4 ? graph.ops[i + 1].name : "consumer";
    const auto target = i < 4 ? std::optional(OpId{i + 1}) : std::nullopt;
    graph.connectors.push_back({graph.ops[i].name + "->" + to, OpId{i}, target});
  }
  return std::make_shared<const Graph>(std::move(graph));
}

// Totals after `t` of running at `rows` rows per second with `decoders` decode workers.
inline Snapshot At(Nanos t, double rows, int decoders) {
  const double s = Seconds(t);
  const auto items = static_cast<std::uint64_t>(rows * s);
  const auto share = [t](double fraction, int workers) {
    return FromSeconds(Seconds(t) * fraction * workers);
  };
  Snapshot snapshot;
  snapshot.at = kStart + t;
  snapshot.wall = std::chrono::seconds(1'800'000'000) + t;
  snapshot.graph = JpegGraph();
  const auto op = [&](double busy, double starved, int workers, std::size_t bucket, std::uint64_t done) {
    OpReading reading;
    reading.items = done;
    reading.bytes = Bytes{150'528} * static_cast<std::int64_t>(done);
    reading.busy = share(busy, workers);
    reading.starved = share(starved, workers);
    reading.backed_up = share(1 - busy - starved, workers);
    reading.on_cpu = share(busy * 0.9, workers);
    reading.runnable = share(busy * 0.06, workers);
    reading.workers = workers;
    reading.latency[bucket] = done - done / 50;
    reading.latency[bucket + 2] = done / 50;
    return reading;
  };
  snapshot.ops = {op(0.34, 0, 1, 18, items), op(0.02, 0.3, 1, 12, items),
                  op(0.985, 0.01, decoders, 20, items), op(0.41, 0.57, 1, 19, items),
                  op(0.08, 0.9, 1, 21, items / 64)};
  const auto connector = [&](std::uint64_t depth, std::uint64_t capacity, double empty, double full,
                             std::uint64_t done) {
    return ConnectorReading{done + depth,
                            done,
                            depth,
                            capacity,
                            capacity,
                            Bytes{107'520} * static_cast<std::int64_t>(depth),
                            s * static_cast<double>(depth),
                            share(empty, 1),
                            share(full, 1)};
  };
  snapshot.connectors = {connector(16, 16, 0, 0.97, items), connector(31, 32, 0.001, 0.93, items),
                         connector(0, 8, 0.94, 0, items), connector(1, 8, 0.81, 0.02, items),
                         connector(0, 2, 0.62, 0, items / 64)};
  snapshot.consumer = {items / 64, items, share(0.38, 1), share(0.62, 1)};
  snapshot.knobs = {{{KnobKind::kWorkers, 0}, "read.workers", 1, 1, 1, 16},
                    {{KnobKind::kWorkers, 2}, "decode.workers", decoders, decoders, 1, 16},
                    {{KnobKind::kCapacity, 2}, "decode.capacity", 8, 8, 1, 256},
                    {{KnobKind::kWorkers, 3}, "augment.workers", 1, 1, 1, 16}};
  snapshot.knobs[3].holder = Holder::kUser;
  snapshot.budget = {4, 512_MiB};
  snapshot.buffered = Bytes{39'216'742};
  snapshot.buffered_peak = Bytes{52'428'800};
  snapshot.process_cpu = share(1.93, 1);
  snapshot.rss = Bytes{412'000'000};
  return snapshot;
}

// As many figures as Sluice's controller has of five ops, all different at each moment.
inline std::vector<Belief> Believed(Nanos at) {
  std::vector<Belief> beliefs = {{"demand", std::numeric_limits<double>::infinity()},
                                 {"idle", std::numeric_limits<double>::quiet_NaN()}};
  for (int i = 0; i < 116; ++i)
    beliefs.push_back({"decode.figure" + std::to_string(i), 0.000123456 * i + 0.001 * Seconds(at)});
  return beliefs;
}

inline Decision Widen(std::uint64_t id, double at_seconds, std::int64_t from, std::int64_t to,
                      std::string because) {
  Decision decision;
  decision.id = id;
  decision.at = kStart + FromSeconds(at_seconds);
  decision.changes = {{{KnobKind::kWorkers, 2}, from, to}};
  decision.because = std::move(because);
  decision.before = {5.9};
  decision.predicted = {11.5};
  return decision;
}

inline DecisionLog Decisions() {
  DecisionLog log;
  log.Add(Widen(1, 3.2, 1, 2, "decode is busy 99% of its time while the ops before it are backed up"));
  Decision more = Widen(2, 6.1, 2, 4, "decode still limits: 2 of 4 cores are used, each worker is busy 98%");
  more.changes.push_back({{KnobKind::kCapacity, 2}, 8, 16});
  more.before = {11.1};
  more.predicted = {20.4};
  more.outcomes = {{1, Fate::kKept, Rate{11.1}}};
  log.Add(more);
  Decision user = Widen(3, 9.5, 4, 5, "set by the user");
  user.author = Author::kUser;
  user.before = {};
  user.outcomes = {{2, Fate::kRolledBack, Rate{10.9}}};
  log.Add(user);
  return log;
}

inline Verdict DecodeLimits() {
  return {Limit::kOp,
          2,
          "decode limits the run: the consumer is starved 62% of its time and decode is busy 99%; "
          "give it more workers (decode.workers 2 → 4 is predicted to give +84%).",
          {0.91}};
}

inline LiveView View() {
  LiveView view;
  view.scenario = "jpeg-train";
  view.mode = "tuning";
  view.start = kStart;
  view.previous = At(std::chrono::seconds(11), 755, 2);
  view.now = At(std::chrono::milliseconds(12'400), 755, 2);
  view.decisions = Decisions();
  view.verdict = DecodeLimits();
  for (const double f : {0.82, 0.84, 0.83, 0.8, 0.61, 0.6, 0.63, 0.62, 0.4, 0.2, 0.05, 0.0, 0.3, 0.62}) {
    view.starved_history.push_back({f});
  }
  return view;
}

inline RunReport Report() {
  RunReport report;
  report.scenario = "jpeg-train";
  report.run_id = "4242-17f3";
  report.version = "0.1.0";
  report.machine = {"AMD EPYC 7763", 4, 1, 16_GiB};
  report.start = At(Nanos(0), 755, 1);
  report.end = At(std::chrono::milliseconds(31'200), 755, 2);
  report.end.finished = true;
  report.first_window = ConsumerInterval{std::chrono::seconds(3), Rate{5.9}, Rate{377.6}, Fraction{0.81}};
  report.last_window = ConsumerInterval{std::chrono::seconds(3), Rate{19.8}, Rate{1267.2}, Fraction{0.006}};
  report.history = {{kStart + std::chrono::milliseconds(250), 1, 64},
                    {kStart + std::chrono::seconds(31), 583, 37312}};
  report.decisions = Decisions();
  report.verdict = DecodeLimits();
  report.warnings = {"the cgroup's CPU quota held the process back for 0.4 s"};
  return report;
}

}  // namespace sluice::exporters::example
