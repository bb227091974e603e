#include "stage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice::runtime {
namespace {

using namespace std::chrono_literals;  // NOLINT

// An op that passes items on, and takes a while for it once `dear`.
class Passing : public OpLogic {
 public:
  explicit Passing(const std::atomic<bool>& dear) : dear_(dear) {}
  Admission Admit(Item& item, Emitter& out) override {
    out.Emit(std::move(item));
    return Admission::kTaken;
  }
  void Process(Unit&, WorkerContext&) override {
    if (dear_) std::this_thread::sleep_for(1ms);
  }

 private:
  const std::atomic<bool>& dear_;
};

// A stage with one worker; the test is the ops before and behind it.
class StageTest : public testing::Test {
 protected:
  StageTest() {
    stage_.Link({}, nullptr, bell_);
    stage_.Start(1);
  }
  // As the op before does, which wakes the stage where it waits; or, `quiet`, when it runs for the op behind.
  void Feed(bool quiet = false) {
    Unit units[1];
    if (in_.Publish(in_.Reserve(1), units, MonoNow(), quiet).consumer_waits) stage_.Wake(1);
  }
  void AwaitItem(const char* what) {
    const MonoTime end = MonoNow() + 60s;
    const auto take = [](Item& item) { return Item(std::move(item)), true; };
    while (out_.Pop(1, MonoNow(), take).taken == 0) {
      ASSERT_LT(MonoNow(), end) << "no item " << what << ": " << stage_.Describe();
      std::this_thread::yield();
    }
  }
  // As the op behind does once it has taken items. Then the op's thread sleeps, and waits for input alone.
  void MakeRoom() {
    AwaitParked();
    if (out_.TakeWaitingProducer()) stage_.Wake(1);
    AwaitParked();
  }
  void AwaitParked() {
    while (stage_.Describe().find("1 parked") == std::string::npos) std::this_thread::yield();
  }

  const Graph graph_{{{"op", "map"}}, {{"op->consumer", OpId{0}, std::nullopt}}};
  probes::SegmentWriter segment_{
      {.folder = "", .program = "stage_test", .run_id = "", .shared = false}, graph_, {}, {}};
  probes::segment::ConnectorEntry into_;
  Connector in_{into_, 4, 1, true, MonoNow()};
  Connector out_{segment_.connector(ConnectorId{0}), 1, 1, true, MonoNow()};
  Crew crew_{2};
  ConsumerBell bell_;
  std::atomic<bool> dear_{false};
  probes::segment::Counter helping_;
  FailedRows failed_{[](std::uint64_t) { return RowOrigin{}; }};
  Stage stage_{{.id = OpId{0}, .name = "op"},
               std::make_unique<Passing>(dear_),
               {&in_},
               out_,
               segment_,
               crew_,
               failed_};
};

// Who starves runs the op before it as long as that is cheap. When it turns out to be dear, its own thread
// must go on; or wait for input in a way that the op before it can see.
TEST_F(StageTest, GoesOnByItselfAfterItHasTurnedDearInANeighboursHands) {
  while (true) {  // more than once where a thread was interrupted, so that the op looks dear too early
    Feed();
    AwaitItem("of the op's own thread");
    MakeRoom();
    Feed(true);
    Feed(true);
    const bool helped = stage_.HelpUp(helping_);
    if (!helped) stage_.Wake(1);
    AwaitItem("of the helping thread");
    if (helped) break;
    MakeRoom();
    AwaitItem("behind it");
    MakeRoom();
  }
  dear_ = true;
  static_cast<void>(stage_.HelpUp(helping_));
  AwaitItem("that takes long");
  ASSERT_FALSE(stage_.HelpUp(helping_)) << "the op is still cheap, although its last item took long";
  Feed();
  AwaitItem("behind the one that took long");
}

}  // namespace
}  // namespace sluice::runtime
