#include "control/debug_state.h"

#include <limits>
#include <string_view>

namespace sluice::autotune {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class Columns {
 public:
  void Add(std::string_view name, double value) { all_.push_back({prefix_ + std::string(name), value}); }
  void SetOp(const std::string& name) { prefix_ = name + "."; }
  [[nodiscard]] std::vector<Belief> Take() { return std::move(all_); }

 private:
  std::string prefix_;
  std::vector<Belief> all_;
};

void AddRun(Columns& columns, const PipelineEstimate& estimate, const CapacityModel& model) {
  const Ceiling best = model.Optimum();
  columns.Add("phase", static_cast<double>(estimate.phase));
  columns.Add("demand", estimate.demand);
  columns.Add("consumer_variability", estimate.consumer_variability);
  columns.Add("starved", estimate.starved);
  columns.Add("other_cpu", estimate.other_cpu);
  columns.Add("cores", model.input().cores);
  columns.Add("cores_used", estimate.cores_used);
  columns.Add("idle", estimate.idle.value_or(kUnknown));
  columns.Add("taken", estimate.taken);
  columns.Add("queued", estimate.queued);
  columns.Add("optimum", best.rate);
  columns.Add("runner_up", best.runner_up);
  columns.Add("limit", static_cast<double>(best.limit));
  columns.Add("limit_op", best.op ? static_cast<double>(*best.op) : -1);
  columns.Add("cores_rate", model.CoresRate());
  columns.Add("lock_rate", model.LockRate());
}

void AddState(Columns& columns, const Knowledge& known, const State& state, const RateSummary& measured) {
  columns.Add("state", static_cast<double>(state.index()));
  columns.Add("windows", static_cast<double>(measured.windows));
  columns.Add("rate", measured.windows > 0 ? measured.mean : kUnknown);
  columns.Add("noise", measured.noise);
  const auto* const trying = std::get_if<Trying>(&state);
  columns.Add("before", trying ? trying->trial.plan().before.mean : kUnknown);
  columns.Add("predicted", trying ? trying->trial.plan().predicted : kUnknown);
  columns.Add("failures_in_a_row", known.failures.in_a_row());
  columns.Add("rest", Seconds(known.rest));
}

void AddOp(Columns& columns, const OpEstimate& op, const CapacityModel& model, std::size_t i) {
  columns.Add("cpu", op.cpu);
  columns.Add("wait", op.wait);
  columns.Add("bytes", op.bytes);
  columns.Add("variability", op.variability);
  columns.Add("visits", op.visits);
  columns.Add("items", op.items);
  columns.Add("busy_workers", op.busy_workers);
  columns.Add("utilisation", op.utilisation);
  columns.Add("starved", op.starved);
  columns.Add("backed_up", op.backed_up);
  columns.Add("regime", static_cast<double>(op.regime));
  columns.Add("useful", op.useful);
  columns.Add("sigma", op.curve.Contended() ? op.curve.law.sigma : 0);
  columns.Add("kappa", op.curve.Contended() ? op.curve.law.kappa : 0);
  columns.Add("knee", op.curve.knee.value_or(kUnknown));
  columns.Add("workers", model.input().ops[i].workers);
  columns.Add("most", model.input().ops[i].most);
  columns.Add("wanted", model.WorkersFor(i, model.OptimumFor(i)));
  columns.Add("rate", model.OpRate(i, model.input().ops[i].workers));
}

}  // namespace

std::vector<Belief> ColumnsOf(const Knowledge& known, const State& state, const RateSummary& measured) {
  const Snapshot& seen = known.observer.last();
  const View view(seen, known.Estimate(), known.failures.caps(), known.settings);
  const CapacityModel& model = view.planner.model();
  Columns columns;
  AddState(columns, known, state, measured);
  AddRun(columns, view.estimate, model);
  columns.Add("bytes_held", view.planner.Held(view.planner.present()));
  columns.Add("bytes_limit", view.planner.MemoryLimit());
  for (std::size_t i = 0; i < view.estimate.ops.size(); ++i) {
    columns.SetOp(seen.graph->ops[i].name);
    AddOp(columns, view.estimate.ops[i], model, i);
  }
  return columns.Take();
}

}  // namespace sluice::autotune
