#include "tfdata.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {

void TfData::Begin(const Snapshot& seen) {
  period_ = kFirstPeriod;
  next_ = seen.at + period_;
  begun_ = false;
  means_ = {};
  gaps_ = {};
  prefetch_ = {};
}

Move TfData::InitialParallelism(const Snapshot& seen) {
  Move move;
  move.because = "initial_parallelism, before anything is known";
  for (std::size_t i = 0; i < seen.ops.size(); ++i) {
    const Bounds bounds = WorkerBounds(seen, i);
    const int most = std::min({kInitialParallelism, bounds.most, WholeCores(seen)});
    if (Free(seen, WorkersOf(i))) move.wishes.push_back({WorkersOf(i), std::max(bounds.least, most)});
  }
  return move;
}

bool TfData::RoundDue(MonoTime now) {
  if (now < next_) return false;
  while (next_ <= now) {
    period_ = std::min(period_ * 2, kLongestPeriod);
    next_ += period_;
  }
  return true;
}

Move TfData::Next(const Snapshot& seen) {
  means_.Add(seen);
  gaps_.Add(seen);
  Move move;
  if (!begun_) move = InitialParallelism(seen);
  begun_ = true;
  if (RoundDue(seen.at)) Tune(seen, move);
  TunePrefetch(seen, move);
  return move;
}

bool TfData::Search(TfDataModel& model, const TfBudget& budget) const {
  if (algorithm_ == TfAlgorithm::kStageBased) return StageBased(model, budget, gaps_.Target());
  HillClimb(model, budget, algorithm_ == TfAlgorithm::kMaxParallelism);
  return true;
}

void TfData::Tune(const Snapshot& seen, Move& move) {
  const auto self = algorithm_ == TfAlgorithm::kStageBased ? means_.Get() : LifetimeMeans(seen);
  if (!self) return;
  TfDataModel model = ModelOf(seen, *self);
  if (!Search(model, {seen.budget.cores, static_cast<double>(seen.budget.memory.count)})) return;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    if (model.nodes()[i].tunable()) move.wishes.push_back({WorkersOf(i), model.nodes()[i].parallelism});
  }
  const double modelled = model.OutputTime();
  move.because = fmt::format("the model's output time is {:.3g} ms per element then", modelled * 1e3);
  if (modelled > 0) move.predicted = {1 / modelled};
}

void TfData::TunePrefetch(const Snapshot& seen, Move& move) {
  const std::size_t last = FinalConnector(*seen.graph);
  const auto limit = prefetch_.Next(seen, last);
  if (!limit) return;
  const OpReading& op = seen.ops[Index(seen.graph->connectors[last].from)];
  const double bytes = op.items > 0 ? static_cast<double>(op.bytes.count) / static_cast<double>(op.items) : 0;
  const double more = bytes * static_cast<double>(*limit - Capacity(seen, last));
  const std::vector<double> none(seen.ops.size(), 0.0);
  const double held = ModelOf(seen, none).Bytes();
  const auto budget = static_cast<double>(seen.budget.memory.count);
  if (budget > 0 && held + more > budget) return;
  move.wishes.push_back({CapacityOf(last), *limit});
  if (move.because.empty()) move.because = "the prefetch buffer was full and then empty";
}

}  // namespace sluice::baselines
