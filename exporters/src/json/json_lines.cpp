#include "sluice/exporters/json_lines.h"

#include "json/json_values.h"
#include "json/names.h"
#include "json/pipeline_json.h"
#include "sluice/exporters/view_rows.h"

namespace sluice::exporters {
namespace {

std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The moment `at` of the monotonic clock in Unix time, as `now` has both.
double UnixSeconds(MonoTime at, const Snapshot& now) {
  return InSeconds(now.wall - (now.at - at));
}

Json Headed(const char* type, double unix_seconds, std::uint32_t number) {
  return {{"type", type}, {"unix_seconds", unix_seconds}, {"pipeline", number}};
}

Json OpsByName(const Snapshot& from, const Snapshot& to) {
  Json ops = Json::object();
  for (const OpRow& row : OpRows(from, to)) {
    ops[row.info.name] = {{"workers", row.total.workers},
                          {"items", row.total.items},
                          {"items_per_second", OrNull(row.seen.items)},
                          {"busy_fraction", OrNull(row.seen.busy)},
                          {"starved_fraction", OrNull(row.seen.starved)},
                          {"backed_up_fraction", OrNull(row.seen.backed_up)},
                          {"failed_rows", row.total.failed}};
  }
  return ops;
}

Json ConnectorsByName(const Snapshot& from, const Snapshot& to) {
  Json connectors = Json::object();
  for (const ConnectorRow& row : ConnectorRows(from, to)) {
    connectors[row.name] = {{"depth_items", row.total.depth},
                            {"capacity_items", row.total.capacity},
                            {"empty_fraction", OrNull(row.seen.empty)},
                            {"full_fraction", OrNull(row.seen.full)}};
  }
  return connectors;
}

Json KnobsByName(const Snapshot& now) {
  Json knobs = Json::object();
  for (const Knob& knob : now.knobs) knobs[knob.name] = knob.value;
  return knobs;
}

}  // namespace

std::string JsonRunLine(const SessionFacts& facts) {
  const MachineShape& machine = facts.machine;
  return Line({{"type", "run"},
               {"unix_seconds", InSeconds(facts.started_wall)},
               {"format", "sluice-lines"},
               {"format_version", kJsonLinesVersion},
               {"verb", facts.verb},
               {"name", facts.name},
               {"run_id", facts.run_id},
               {"sluice_version", facts.version},
               {"cpu", TextOrNull(machine.cpu)},
               {"logical_cpus", machine.logical_cpus},
               {"memory_bytes", OrNull(machine.memory)}});
}

std::string JsonPipelineLine(std::uint32_t number, const SessionPipeline& pipeline, const Snapshot& first) {
  Json line = Headed("pipeline", UnixSeconds(pipeline.started, first), number);
  line["name"] = pipeline.name;
  line["rank"] = OrNull(pipeline.rank);
  line["pid"] = pipeline.pid;
  return Line(line);
}

std::string JsonSnapshotLine(std::uint32_t number, const Snapshot& from, const Snapshot& to,
                             const Verdict& verdict) {
  const ConsumerInterval seen = MeasureConsumer(from, to);
  Json line = Headed("snapshot", InSeconds(to.wall), number);
  line["epoch"] = to.epoch;
  line["items"] = to.consumer.items;
  line["rows"] = to.consumer.rows;
  line["items_per_second"] = OrNull(seen.items);
  line["rows_per_second"] = OrNull(seen.rows);
  line["starved_fraction"] = OrNull(seen.starved);
  line["cores_used"] = OrNull(CoresUsed(from, to));
  line["budget_cores"] = Number(to.budget.cores);
  line["budget_memory_bytes"] = to.budget.memory.count > 0 ? Json(to.budget.memory.count) : Json(nullptr);
  line["buffered_bytes"] = to.buffered.count;
  line["rss_bytes"] = OrNull(to.rss);
  line["verdict"] = VerdictJson(verdict, to);
  line["ops"] = OpsByName(from, to);
  line["connectors"] = ConnectorsByName(from, to);
  line["knobs"] = KnobsByName(to);
  return Line(line);
}

std::string JsonDecisionLine(std::uint32_t number, const LoggedDecision& entry, const Snapshot& now) {
  const Decision& decision = entry.decision;
  Json line = Headed("decision", UnixSeconds(decision.at, now), number);
  line["id"] = decision.id;
  line["author"] = NameOf(kAuthors, decision.author);
  line["changes"] = ChangesJson(NamedChanges(decision.changes, now.knobs));
  line["because"] = decision.because;
  line["fate"] = NameOf(kFates, entry.fate);
  line["before_items_per_second"] = Number(decision.before.per_second);
  line["predicted_items_per_second"] = Number(decision.predicted.per_second);
  line["measured_items_per_second"] = OrNull(entry.measured);
  return Line(line);
}

std::string JsonEventLine(std::uint32_t number, MonoTime at, const Snapshot& now, const std::string& text) {
  Json line = Headed("event", UnixSeconds(at, now), number);
  line["text"] = text;
  return Line(line);
}

std::string JsonEndLine(Nanos wall, const std::string& outcome) {
  return Line({{"type", "end"}, {"unix_seconds", InSeconds(wall)}, {"outcome", outcome}});
}

}  // namespace sluice::exporters
