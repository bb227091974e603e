#include "sim/sim_result.h"

#include <utility>

#include "sim/sim_story.h"
#include "sluice/evaluation/figures.h"
#include "sluice/evaluation/run_record.h"
#include "sluice/evaluation/scores.h"

namespace sluice::app {
namespace {

std::string NameOf(std::optional<std::uint32_t> op, const simulator::SimScenario& scenario) {
  return op && *op < scenario.ops.size() ? scenario.ops[*op].name : "";
}

std::int64_t ValueIn(const evaluation::RunRecord& record, const Knob& knob) {
  if (knob.id.kind == KnobKind::kWorkers) return record.workers[knob.id.target];
  return record.capacity[knob.id.target];
}

std::vector<exporters::SettingRow> SettingsOf(const std::vector<Knob>& knobs,
                                              const evaluation::RunRecord& record,
                                              const evaluation::RunRecord& oracle) {
  std::vector<exporters::SettingRow> rows;
  for (const Knob& knob : knobs) {
    if (knob.id.kind == KnobKind::kPlacement) continue;
    rows.push_back({knob.name, knob.value, ValueIn(record, knob), ValueIn(oracle, knob)});
  }
  return rows;
}

std::vector<exporters::ScoreRow> ScoresOf(const evaluation::Scores& scores,
                                          const evaluation::Scores& oracle) {
  std::vector<exporters::ScoreRow> rows;
  for (const evaluation::Figure& figure : evaluation::Figures()) {
    rows.push_back({std::string(figure.key), std::string(figure.meaning), figure.decimals, figure.of(scores),
                    figure.of(oracle)});
  }
  return rows;
}

exporters::SimTick TickOf(const evaluation::RunTick& tick, const simulator::SimScenario& scenario) {
  return {tick.at,
          tick.items,
          tick.core_seconds,
          tick.memory_share,
          tick.workers,
          tick.limit,
          NameOf(tick.limit_op, scenario)};
}

}  // namespace

std::vector<exporters::SimOptimum> OptimaOf(const std::vector<simulator::Optimum>& optima,
                                            const simulator::SimScenario& scenario) {
  std::vector<exporters::SimOptimum> told;
  told.reserve(optima.size());
  for (const simulator::Optimum& optimum : optima) {
    told.push_back({optimum.from, optimum.rate, optimum.limit, NameOf(optimum.op, scenario), optimum.workers,
                    optimum.cores});
  }
  return told;
}

exporters::SimReport Simulate(const simulator::SimScenario& scenario,
                              const std::vector<simulator::Optimum>& reachable,
                              autotune::Controller& controller, const std::string& controller_name,
                              std::uint64_t seed, SimSession* session) {
  const evaluation::Yardstick yardstick = evaluation::MakeYardstick(scenario, reachable, seed);
  const std::vector<exporters::SimOptimum> optima = OptimaOf(yardstick.optima, scenario);
  SimStory story(optima);
  exporters::Beliefs beliefs;
  const evaluation::RunRecord record = evaluation::RunSimulated(
      scenario, &controller, seed, [&](const Snapshot& seen, const Decision& decision) {
        const std::vector<Belief> state = controller.DebugState();
        story.See(seen, decision);
        if (session != nullptr) session->See(seen, decision, state);
        beliefs.Add(seen.at, decision.id, state);
      });
  const evaluation::Scores scores = evaluation::Score(scenario, record, yardstick);
  const evaluation::Scores oracle = evaluation::Score(scenario, yardstick.reachable, yardstick);
  exporters::SimReport report{.scenario = scenario.name,
                              .summary = scenario.summary,
                              .controller = controller_name,
                              .seed = seed,
                              .seconds = scores.seconds,
                              .final_share = scores.final_share,
                              .oracle_final_share = oracle.final_share,
                              .knobs = story.start(),
                              .optima = optima,
                              .settings = SettingsOf(story.start(), record, yardstick.reachable),
                              .scores = ScoresOf(scores, oracle),
                              .story = story.entries(),
                              .beliefs = std::move(beliefs)};
  for (const simulator::SimOp& op : scenario.ops) report.ops.push_back(op.name);
  for (const evaluation::RunTick& tick : record.ticks) {
    report.items += tick.items;
    report.ticks.push_back(TickOf(tick, scenario));
  }
  return report;
}

}  // namespace sluice::app
