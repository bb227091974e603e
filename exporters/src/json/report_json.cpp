#include <string_view>

#include "json/json_values.h"
#include "json/limits_json.h"
#include "json/pipeline_json.h"
#include "sluice/exporters/run_report.h"

namespace sluice::exporters {
namespace {

std::string_view EndName(RunEnd end) {
  switch (end) {
    case RunEnd::kFinished:
      return "finished";
    case RunEnd::kLimit:
      return "limit";
    case RunEnd::kInterrupted:
      return "interrupted";
    case RunEnd::kFailed:
      return "failed";
  }
  return "unknown";
}

Json ThroughputJson(const RunReport& report) {
  return {{"first_window", WindowJson(report.first_window)},
          {"last_window", WindowJson(report.last_window)},
          {"whole_run", WindowJson(MeasureConsumer(report.start, report.end))},
          {"speedup", OrNull(Speedup(report))}};
}

Json FailedRowsJson(const RunReport& report) {
  const RowFailures& rows = report.rows;
  const std::string& file = report.failed_rows_file;
  return {{"failed", rows.failed},
          {"read", rows.read},
          {"different", rows.different},
          {"file", file.empty() ? Json(nullptr) : Json(file)}};
}

Json HistoryJson(const TakenMark& mark, MonoTime start) {
  return {{"at_seconds", InSeconds(mark.at - start)}, {"items", mark.items}, {"rows", mark.rows}};
}

Json MachineJson(const MachineShape& machine) {
  return {{"cpu", machine.cpu},
          {"logical_cpus", machine.logical_cpus},
          {"numa_nodes", machine.numa_nodes},
          {"memory_bytes", OrNull(machine.memory)}};
}

Json RunJson(const RunReport& report) {
  return {{"scenario", report.scenario},
          {"run_id", report.run_id},
          {"sluice_version", report.version},
          {"started_unix_seconds", InSeconds(report.start.wall)},
          {"duration_seconds", InSeconds(report.end.at - report.start.at)},
          {"epoch", report.end.epoch},
          {"ended", EndName(report.ended)},
          {"error", report.error.empty() ? Json(nullptr) : Json(report.error)},
          {"exit_code", report.exit_code},
          {"warnings", report.warnings}};
}

}  // namespace

std::string ReportJson(const RunReport& report) {
  const Snapshot &start = report.start, &end = report.end;
  Json history = Json::array();
  for (const TakenMark& mark : report.history) history.push_back(HistoryJson(mark, start.at));
  return DocumentText({{"format", "sluice-result"},
                       {"format_version", kResultFormatVersion},
                       {"run", RunJson(report)},
                       {"machine", MachineJson(report.machine)},
                       {"budget", BudgetJson(end)},
                       {"verdict", VerdictJson(report.verdict, end)},
                       {"failed_rows", FailedRowsJson(report)},
                       {"throughput", ThroughputJson(report)},
                       {"history", std::move(history)},
                       {"consumer", ConsumerJson(end.consumer)},
                       {"process", ProcessJson(end)},
                       {"throttling", ThrottlingJson(start, end)},
                       {"pressure", PressureJson(start, end)},
                       {"steal_seconds", OrNull(StealBetween(start, end))},
                       {"ops", OpsJson(start, end, report.verdict)},
                       {"connectors", ConnectorsJson(start, end)},
                       {"settings", SettingsJson(start, end)},
                       {"decisions", DecisionsJson(report.decisions, start.at, end.knobs)}});
}

}  // namespace sluice::exporters
