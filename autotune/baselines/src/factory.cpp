#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cachew.h"
#include "cedar.h"
#include "ds2.h"
#include "fixed_settings.h"
#include "mindspore.h"
#include "plumber.h"
#include "random_walk.h"
#include "ray.h"
#include "sluice/base/text.h"
#include "sluice/baselines/baselines.h"
#include "tfdata.h"

namespace sluice::baselines {
namespace {

using Made = std::unique_ptr<autotune::Controller>;

template <typename Rule, auto... kArguments>
Made Make(std::uint64_t) {
  return std::make_unique<Rule>(kArguments...);
}

template <typename Rule>
Made MakeSeeded(std::uint64_t seed) {
  return std::make_unique<Rule>(seed);
}

template <int kSeconds>
Made MakePlumber(std::uint64_t) {
  return std::make_unique<Plumber>(std::chrono::seconds(kSeconds));
}

using baselines::Ds2;
using baselines::Ds2Repeats;
using baselines::MindSporeAutoTune;
using baselines::MindSporeGeneration;
using baselines::MindSporeRound;
using baselines::TfAlgorithm;
using baselines::TfData;

constexpr std::string_view kMindSpore = "MindSpore, minddata/dataset/engine/perf/auto_tune.cc";
constexpr std::string_view kTfData = "TensorFlow, tensorflow/core/framework/model.cc";
constexpr std::string_view kPlumber = "Kuchnik et al., Plumber, MLSys 2022 (arXiv 2111.04131)";
constexpr std::string_view kDs2 = "Kalavri et al., Three steps is all you need, OSDI 2018";

// Beside each other, so that a name without a maker cannot be.
constexpr std::array kAll = std::to_array<BaselineInfo>({
    {"static", "8 workers per op, prefetch 16, never looks", "MindSpore's documented defaults"},
    {"cores", "as many workers per op as cores, never looks",
     "num_workers = os.cpu_count(), a rule of thumb"},
    {"mindspore-older", "fill and CPU thresholds, +2 workers, +4 queue, without end; rounds of 30 steps",
     kMindSpore},
    {"mindspore", "the same, then back to the best round, then shrinks queues; rounds of 30 steps",
     kMindSpore},
    {"mindspore-epoch", "the same with its default round, an epoch", kMindSpore},
    {"tfdata-hill-climb", "climbs its model's output time until the CPU budget is used", kTfData},
    {"tfdata-max-parallelism", "the same without the CPU stop: its default", kTfData},
    {"tfdata-stage-based", "the slowest stage first, until the consumer's gap is met", kTfData},
    {"plumber", "traces 62 s, allocates cores by its LP, keeps the faster setting", kPlumber},
    {"plumber-10s", "the same with traces of 10 s", kPlumber},
    {"ds2", "one step: workers = ceil(target / true rate), then nothing", kDs2},
    {"ds2-periodic", "the same every 5 s", kDs2},
    {"cedar", "+1 to the op with the lowest buffer, kept where it gives more than 1 %",
     "cedar (arXiv 2401.08895), cedar/client/controller.py"},
    {"cachew", "one count for all ops, +1 while 7 % faster, -1 while 3 % slower",
     "Graur et al., Cachew, ATC 2022, data/service/easl/scaling_utils.cc"},
    {"ray", "+1 at a utilisation of 1.75, -1 at 0.5, per op",
     "Ray Data 2.56, actor_autoscaler/default_actor_autoscaler.py"},
    {"random-walk", "one worker more or less on a drawn op every 10 s", "the null hypothesis"},
});

constexpr std::array<Made (*)(std::uint64_t), kAll.size()> kMakers = {
    Make<StaticSettings>,
    Make<WorkersAsCores>,
    Make<MindSporeAutoTune, MindSporeGeneration::kOlder, MindSporeRound::kSteps>,
    Make<MindSporeAutoTune, MindSporeGeneration::kNewer, MindSporeRound::kSteps>,
    Make<MindSporeAutoTune, MindSporeGeneration::kNewer, MindSporeRound::kEpoch>,
    Make<TfData, TfAlgorithm::kHillClimb>,
    Make<TfData, TfAlgorithm::kMaxParallelism>,
    Make<TfData, TfAlgorithm::kStageBased>,
    MakePlumber<62>,
    MakePlumber<10>,
    Make<Ds2, Ds2Repeats::kOnce>,
    Make<Ds2, Ds2Repeats::kEveryInterval>,
    MakeSeeded<Cedar>,
    Make<Cachew>,
    Make<RayData>,
    MakeSeeded<RandomWalk>,
};

std::string Suggestion(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kAll.size());
  for (const BaselineInfo& baseline : kAll) names.emplace_back(baseline.name);
  const std::string near = Nearest(name, names);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return fmt::format("there are {}", fmt::join(names, ", "));
}

}  // namespace

std::span<const BaselineInfo> Baselines() {
  return kAll;
}

Result<std::unique_ptr<autotune::Controller>> MakeBaseline(std::string_view name, std::uint64_t seed) {
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    if (kAll[i].name == name) return kMakers[i](seed);
  }
  return Fail(fmt::format("there is no baseline '{}'; {}", name, Suggestion(name)));
}

}  // namespace sluice::baselines
