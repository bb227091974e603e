// Ops that move between nodes, and workers that are let go faster and slower, while items flow and knobs
// change: order and contents stay.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/base/rng.h"
#include "sluice/probes/segment_reader.h"
#include "stress/rounds.h"

namespace sluice::stress {
namespace {

// Places and paces at random until it is destroyed.
class Mover {
 public:
  Mover(runtime::Pipeline& pipeline, std::uint64_t seed)
      : thread_([this, &pipeline, seed](const std::stop_token& stop) {
          auto requester = probes::KnobRequester::Over(pipeline.segment());
          const std::size_t ops = pipeline.graph().ops.size();
          Rng rng(seed, 0, 0, 0);
          while (!stop.stop_requested()) {
            const auto op = static_cast<std::uint32_t>(rng.Uniform() * static_cast<double>(ops));
            const auto node = static_cast<int>(rng.Uniform() * 3);
            pipeline.SetPlacement(OpId{op}, node == 2 ? Placement{} : OnNode(node));
            requester->SetPace(rng.Uniform() < 0.5 ? 0 : rng.Uniform());
            ++moves_;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  [[nodiscard]] int moves() const { return moves_; }

 private:
  std::atomic<int> moves_{0};
  std::jthread thread_;
};

TEST(Moving, KeepsOrderAndContents) {
  const runtime::PipelineDescription description = runtime::RangeAndMaps(2000);
  const auto all = [&](std::uint64_t seed) {
    const auto pipeline = runtime::MustBuild(description, runtime::TwoNodes());
    const runtime::Watchdog watchdog(*pipeline);
    pipeline->Start();
    std::optional<Mover> mover;
    std::optional<runtime::RandomResizer> resizer;
    if (seed != 0) mover.emplace(*pipeline, seed);
    if (seed != 0) resizer.emplace(*pipeline, seed);
    std::vector<runtime::Taken> taken;
    runtime::Item item;
    for (;;) {
      const auto got = pipeline->Next(item);
      taken.push_back(runtime::Keep(got, item));
      if (got == runtime::Pipeline::Got::kEnd) break;
    }
    if (mover) {
      EXPECT_GT(mover->moves(), 0);
    }
    return taken;
  };
  const auto still = all(0);
  for (std::uint64_t seed = 1; seed <= Rounds(3); ++seed)
    runtime::ExpectSame(still, all(seed), "seed " + std::to_string(seed));
}

}  // namespace
}  // namespace sluice::stress
