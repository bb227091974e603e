// A loader and its epochs as EpochJudge sees them, for its tests. One thread.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "epochs/epoch_judge.h"

namespace sluice::app {

// A loader whose consumer waits for all of its time, and whose workers are busy meanwhile, looked at five
// times a second.
class EpochJudgeTest : public testing::Test {
 protected:
  EpochJudgeTest() {
    Graph graph;
    graph.ops = {{.name = "fetch", .kind = "map"}, {.name = "start-up", .kind = "in fetch"}};
    graph.connectors = {{"fetch->consumer", OpId{0}, std::nullopt}};
    now_.graph = std::make_shared<const Graph>(std::move(graph));
    now_.ops.resize(2);
    now_.connectors.resize(1);
    now_.knobs = {KnobOf(KnobKind::kWorkers, "fetch.workers", 1),
                  KnobOf(KnobKind::kCapacity, "fetch.capacity", 2)};
    now_.process_cpu = std::chrono::seconds(2);
    Look();
  }

  static Knob KnobOf(KnobKind kind, const std::string& name, std::int64_t value) {
    Knob knob;
    knob.id = {kind, 0};
    knob.name = name;
    knob.value = knob.requested = value;
    knob.min = 0;
    knob.max = 64;
    return knob;
  }

  // So many workers have come to life.
  void Started(std::uint64_t workers, Nanos cpu) {
    now_.ops[1].items += workers;
    outlook_.start_cpu = cpu;
  }
  void Look() { judge_.Look(now_, ended_, outlook_, workers_); }
  void Flow(std::uint64_t items, Nanos time) {
    now_.at += time;
    now_.consumer.items += items;
    now_.consumer.starved += time;
    now_.ops[0].items += items;
    now_.ops[0].busy += fetch_ ? static_cast<std::int64_t>(items) * *fetch_ : now_.knobs[0].value * time;
    Look();
  }
  // A whole epoch of 100 items under the present setting; the next one begins.
  void Epoch(Nanos took, Nanos first = std::chrono::milliseconds(100)) {
    Flow(50, took / 2);
    Flow(50, took / 2);
    const probes::EndedEpoch before = ended_.value_or(probes::EndedEpoch{});
    ended_ = {before.number + 1, took, first, 100, now_.knobs[0].value, now_.knobs[1].value};
    ++now_.epoch;
    Look();
  }
  // One in whose course the workers were changed.
  void Mixed(Nanos took) {
    Flow(100, took);
    ended_ = {ended_->number + 1, took, std::chrono::milliseconds(100), 100, -1, Capacity()};
    ++now_.epoch;
    Look();
  }
  // One that the loop has left after a tenth of it.
  void Leave() {
    Flow(10, std::chrono::seconds(1));
    ended_ = {ended_->number + 1, std::chrono::seconds(1), std::chrono::milliseconds(100), 10, 1, Capacity()};
    ++now_.epoch;
    Look();
  }
  void Set(std::int64_t workers) { now_.knobs[0].value = now_.knobs[0].requested = workers; }
  void Set(std::int64_t workers, std::int64_t capacity) {
    Set(workers);
    now_.knobs[1].value = now_.knobs[1].requested = capacity;
  }
  // Sets the knobs as the decision wants them.
  void Carry(const Decision& decision) {
    for (const KnobChange& change : decision.changes) {
      Knob& knob = now_.knobs[change.knob.kind == KnobKind::kWorkers ? 0 : 1];
      EXPECT_EQ(change.from, knob.value);
      knob.value = knob.requested = change.to;
    }
    Look();
  }
  [[nodiscard]] std::int64_t Capacity() const { return now_.knobs[1].value; }
  [[nodiscard]] std::int64_t Most() const {
    Snapshot seen = now_;
    judge_.Bound(seen);
    return seen.knobs[0].max;
  }
  [[nodiscard]] std::int64_t MostCapacity() const {
    Snapshot seen = now_;
    judge_.Bound(seen);
    return seen.knobs[1].max;
  }

  EpochJudge judge_;
  Snapshot now_;
  std::optional<Nanos> fetch_;  // of one item; nullopt: workers are busy all the time
  std::optional<probes::EndedEpoch> ended_;
  probes::EpochOutlook outlook_{.items = 100};
  std::vector<WorkerReading> workers_;  // what the next looks are told of each
};

}  // namespace sluice::app
