// A pipeline of two phases as snapshots show it: photos -> all, drawings -> all, all -> consumer. What is
// taken is written by hand: nothing runs.
#pragma once
#include <memory>

#include "sluice/base/snapshot.h"

namespace sluice::autotune::testing {

struct Album {
  Album() {
    Graph graph;
    graph.ops = {{.name = "photos", .kind = "source"},
                 {.name = "drawings", .kind = "source"},
                 {.name = "all", .kind = "concat"}};
    graph.connectors = {{"photos->all", OpId(0), OpId(2)},
                        {"drawings->all", OpId(1), OpId(2)},
                        {"all->consumer", OpId(2), std::nullopt}};
    seen.graph = std::make_shared<const Graph>(graph);
    seen.at = std::chrono::seconds(100);
    seen.budget.cores = 8;
    seen.ops.resize(3);
    seen.connectors.resize(3);
    for (auto& op : seen.ops) op.workers = 1;
    seen.consumer.busy = seen.consumer.starved = std::chrono::seconds(50);
    for (std::uint32_t i = 0; i < 2; ++i) {
      seen.knobs.push_back({.id = {KnobKind::kWorkers, i}, .name = seen.graph->ops[i].name + ".workers"});
    }
  }

  // `ms` later the consumer has taken so many more items of this input, whose workers computed all the time,
  // as did the consumer, or it waited.
  Snapshot& After(int ms, std::size_t input, std::uint64_t items = 10) {
    const std::chrono::milliseconds time(ms);
    seen.at += time;
    for (const std::size_t i : {input, std::size_t{2}}) {
      OpReading& op = seen.ops[i];
      const Nanos busy = i == input ? Nanos(time) : Nanos(time) / 10;
      op.items += items;
      op.bytes += Bytes{static_cast<std::int64_t>(items) * bytes};
      op.busy += busy * op.workers;
      op.on_cpu = op.busy;
      op.starved += (time - busy) * op.workers;
      seen.connectors[i].pushed += items;
      seen.connectors[i].popped += items;
    }
    seen.consumer.items += items;
    (starves ? seen.consumer.starved : seen.consumer.busy) += time;
    return seen;
  }

  // In force from now on.
  void Set(std::uint32_t input, int workers) {
    seen.knobs[input].value = seen.knobs[input].requested = workers;
    seen.ops[input].workers = workers;
  }

  Snapshot seen;
  bool starves = false;    // the consumer
  std::int64_t bytes = 0;  // of an item
};

}  // namespace sluice::autotune::testing
