#include "json/json_values.h"
#include "json/limits_json.h"
#include "loaders/loaders_json.h"
#include "loaders/loaders_text.h"
#include "sluice/exporters/wrap_report.h"

namespace sluice::exporters {
namespace {

Json EndJson(const CommandEnding& ended) {
  const bool known = ended.exit_code || ended.signal;
  return {{"exit_code", OrNull(ended.exit_code)},
          {"signal", OrNull(ended.signal)},
          {"core_dumped", known ? Json(ended.core_dumped) : Json(nullptr)}};
}

Json MainThreadJson(const std::optional<MainThreadUse>& main) {
  if (!main) return nullptr;
  return {{"pid", main->pid},
          {"name", main->name},
          {"watched_seconds", InSeconds(main->lived)},
          {"on_cpu_seconds", InSeconds(main->on_cpu)},
          {"runnable_seconds", InSeconds(main->runnable)}};
}

Json GpuJson(const GpuUse& gpu) {
  return {{"name", gpu.name},
          {"mean_busy", gpu.mean_busy.value},
          {"peak_busy", gpu.peak_busy.value},
          {"peak_memory_bytes", gpu.peak_memory.count},
          {"memory_bytes", gpu.memory.count}};
}

Json UseJson(const WrapReport& report) {
  const WrapTotals& used = report.used;
  const ProcessesSeen seen = report.seen.value_or(ProcessesSeen{});
  return {{"user_seconds", OrNull(used.user)},
          {"system_seconds", OrNull(used.system)},
          {"mean_cores", OrNull(used.mean_cores)},
          {"runnable_share", OrNull(used.runnable)},
          {"runnable_seconds", OrNull(seen.runnable)},
          {"main_thread", MainThreadJson(report.main_thread)},
          {"peak_rss_bytes", OrNull(used.peak_rss)},
          {"peak_pss_bytes", OrNull(seen.peak_pss)},
          {"read_bytes", OrNull(seen.read)},
          {"written_bytes", OrNull(seen.written)},
          {"storage_read_bytes", OrNull(used.storage_read)},
          {"storage_written_bytes", OrNull(used.storage_written)},
          {"major_faults", OrNull(used.major_faults)},
          {"voluntary_switches", OrNull(used.voluntary)},
          {"involuntary_switches", OrNull(used.involuntary)},
          {"processes", report.seen ? Json(seen.processes) : Json(nullptr)},
          {"most_processes", report.seen ? Json(seen.most_processes) : Json(nullptr)}};
}

}  // namespace

std::string WrapReportJson(const WrapReport& report) {
  Json json = {{"format", "sluice-wrap-result"}, {"format_version", kWrapResultFormatVersion}};
  json["command"] = report.command;
  json["run_id"] = report.run_id;
  json["ended"] = EndJson(report.ended);
  json["wall_seconds"] = InSeconds(report.wall);
  json["cores"] = report.cores;
  json["core_bounds"] = CoreBoundsJson(report.core_bounds);
  json["used"] = UseJson(report);
  json["gpus"] = Json::array();
  for (const GpuUse& gpu : report.gpus) json["gpus"].push_back(GpuJson(gpu));
  const auto& loaders = report.loaders;
  const auto storage_read = report.used.storage_read;
  json["loaders"] = loaders ? LoadersJson(*loaders, storage_read) : Json(nullptr);
  json["shared_advice"] = loaders ? SharedAdviceJson(*loaders) : Json(nullptr);
  json["ranks"] = loaders ? RanksJson(*loaders) : Json(nullptr);
  json["loaders_text"] = loaders ? Json(LoadersText(*loaders, storage_read)) : Json(nullptr);
  return DocumentText(json);
}

}  // namespace sluice::exporters
