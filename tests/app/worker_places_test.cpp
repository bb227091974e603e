#include "loaders/worker_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "sluice/probes/binding.h"

namespace sluice::app {
namespace {

const CpuSet kAllowed = probes::ReadAffinity(0).value();

NumaNode Node(int number, int cpu) {
  NumaNode node;
  node.number = number;
  node.cpus = CpuSet::Range(cpu, cpu);
  return node;
}

std::vector<NumaNode> TwoNodes() {
  return {Node(0, kAllowed.First()), Node(1, kAllowed.Cpus().back())};
}

// A process that only waits.
class Worker {
 public:
  Worker() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] CpuSet mask() const { return probes::ReadAffinity(pid_).value(); }

 private:
  const pid_t pid_;
};

Snapshot Seen() {
  Snapshot seen;
  Graph graph;
  graph.ops.push_back({.name = "fetch", .kind = "map"});
  seen.graph = std::make_shared<const Graph>(std::move(graph));
  seen.ops.resize(1);
  seen.knobs.push_back({.id = {KnobKind::kWorkers, 0}, .name = "fetch.workers"});
  return seen;
}

TEST(WorkerPlaces, HaveNoKnobOnAMachineOfOneNodeOrWithoutWorkers) {
  EXPECT_FALSE(WorkerPlaces().KnobOf(Seen()));
  EXPECT_FALSE(WorkerPlaces({Node(0, 0)}).KnobOf(Seen()));
  Snapshot none = Seen();
  none.knobs.clear();
  EXPECT_FALSE(WorkerPlaces(TwoNodes()).KnobOf(none));
  EXPECT_EQ(WorkerPlaces(TwoNodes()).KnobOf(Seen())->name, "fetch.placement");
}

TEST(WorkerPlaces, BindWorkersAndThoseThatComeLaterAndLetThemGoAgain) {
  WorkerPlaces places(TwoNodes());
  const Worker first;
  places.Request(KnobValue(OnNode(1)));
  EXPECT_EQ(places.KnobOf(Seen())->value, 0) << "not yet";
  places.Keep({first.pid()});
  EXPECT_EQ(places.KnobOf(Seen())->value, KnobValue(OnNode(1)));
  EXPECT_EQ(first.mask(), TwoNodes()[1].cpus);
  const Worker second;
  places.Keep({first.pid(), second.pid()});
  EXPECT_EQ(second.mask(), TwoNodes()[1].cpus);
  places.Request(0);
  places.Keep({first.pid(), second.pid()});
  EXPECT_EQ(first.mask(), TwoNodes()[0].cpus | TwoNodes()[1].cpus);
}

TEST(WorkerPlaces, GiveUpWhereTheKernelRefuses) {
  WorkerPlaces places({Node(0, kAllowed.First()), Node(1, 8000)});
  const Worker worker;
  places.Request(KnobValue(OnNode(1)));
  testing::internal::CaptureStderr();
  places.Keep({worker.pid()});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("workers are not placed on node 1: thread"));
  EXPECT_EQ(worker.mask(), kAllowed);
  EXPECT_FALSE(places.KnobOf(Seen())) << "what cannot be changed is no knob";
}

}  // namespace
}  // namespace sluice::app
