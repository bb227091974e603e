#include "tfdata_search.h"

#include <algorithm>
#include <optional>

namespace sluice::baselines {
namespace {

constexpr double kAnyDrop = -1e-9;  // seconds: parallelism accepts any drop above -1 ns

bool OverBudget(const TfDataModel& model, const TfBudget& budget) {
  return budget.bytes > 0 && model.Bytes() > budget.bytes;
}

void ToTheLeast(TfDataModel& model) {
  for (TfNode& node : model.nodes()) {
    if (node.tunable()) node.parallelism = node.least;
  }
}

// The node whose next worker lowers the output time most.
std::optional<std::size_t> BestNode(TfDataModel& model, double output_time) {
  std::optional<std::size_t> best;
  double best_drop = kAnyDrop;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    TfNode& node = model.nodes()[i];
    if (!node.tunable() || node.parallelism >= node.most) continue;
    ++node.parallelism;
    const double drop = output_time - model.OutputTime();
    --node.parallelism;
    if (drop > best_drop) {
      best_drop = drop;
      best = i;
    }
  }
  return best;
}

std::size_t SlowestStage(const TfDataModel& model) {
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < model.nodes().size(); ++i) {
    if (model.StageTime(i) > model.StageTime(slowest)) slowest = i;
  }
  return slowest;
}

}  // namespace

void HillClimb(TfDataModel& model, const TfBudget& budget, bool to_the_most) {
  ToTheLeast(model);
  const double enough = model.ProcessingTime() / budget.cores;
  std::optional<std::size_t> last;
  while (true) {
    if (OverBudget(model, budget)) {
      if (last) --model.nodes()[*last].parallelism;
      return;
    }
    const double output_time = model.OutputTime();
    if (!to_the_most && output_time < enough) return;
    last = BestNode(model, output_time);
    if (!last) return;
    ++model.nodes()[*last].parallelism;
  }
}

bool StageBased(TfDataModel& model, const TfBudget& budget, double target) {
  ToTheLeast(model);
  while (true) {
    const std::size_t slowest = SlowestStage(model);
    TfNode& node = model.nodes()[slowest];
    const double before = model.StageTime(slowest);
    if (before <= target || !node.tunable() || node.parallelism >= node.most) return true;
    ++node.parallelism;
    if (OverBudget(model, budget)) return false;
    if (model.StageTime(slowest) >= before) {
      --node.parallelism;
      return true;
    }
  }
}

}  // namespace sluice::baselines
