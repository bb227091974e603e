#include "json/json_values.h"
#include "json/limits_json.h"
#include "json/pipeline_json.h"
#include "sluice/exporters/top_report.h"

namespace sluice::exporters {

std::string TopJson(const TopReport& report) {
  const Snapshot &from = report.from, &to = report.to;
  const Json watched = {{"program", report.program},
                        {"run_id", report.run_id},
                        {"rank", OrNull(report.rank)},
                        {"pid", report.pid},
                        {"sluice_version", report.version},
                        {"at_unix_seconds", InSeconds(to.wall)},
                        {"run_seconds", InSeconds(to.at - report.run_start)},
                        {"epoch", to.epoch},
                        {"over", report.over}};
  return DocumentText({{"format", "sluice-top-result"},
                       {"format_version", kTopResultFormatVersion},
                       {"watched", watched},
                       {"budget", BudgetJson(to)},
                       {"verdict", VerdictJson(report.verdict, to)},
                       {"window", WindowJson(MeasureConsumer(from, to))},
                       {"consumer", ConsumerJson(to.consumer)},
                       {"process", ProcessJson(to)},
                       {"throttling", ThrottlingJson(from, to)},
                       {"pressure", PressureJson(from, to)},
                       {"steal_seconds", OrNull(StealBetween(from, to))},
                       {"ops", OpsJson(from, to, report.verdict)},
                       {"connectors", ConnectorsJson(from, to)},
                       {"settings", SettingsJson(from, to)},
                       {"decisions", DecisionsJson(report.decisions, report.run_start, to.knobs)}});
}

}  // namespace sluice::exporters
