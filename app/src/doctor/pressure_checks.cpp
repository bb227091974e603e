#include "doctor/pressure_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using probes::Pressure;

constexpr double kMuchCpu = 0.25;     // of the time some thread waited for a core
constexpr double kMuchMemory = 0.05;  // of the time some thread waited for memory
constexpr double kMuchIo = 0.25;
constexpr std::size_t kMostCuts = 8;  // that are asked about

double Worst(const Result<Pressure>& pressure) {
  return pressure ? std::max(pressure->some.avg10.value, pressure->some.avg60.value) : 0;
}

std::string FileOf(const PressureLook& look, const char* resource) {
  if (look.origin.empty()) return fmt::format("/proc/pressure/{}", resource);
  return look.origin.starts_with("cgroup") ? fmt::format("{}: {}.pressure", look.origin, resource)
                                           : fmt::format("{}/{}", look.origin, resource);
}

std::string WhereOf(const PressureLook& look) {
  return look.origin.starts_with("cgroup") ? "in " + look.origin : "on this machine";
}

std::string LineText(const char* name, const probes::PressureLine& line) {
  return fmt::format("{} avg10 {}, avg60 {}, avg300 {}", name, FormatPercent(line.avg10),
                     FormatPercent(line.avg60), FormatPercent(line.avg300));
}

struct Kind {
  const char* resource;  // as in the file's name
  const char* subject;
  const char* kind;
  const char* what;
  double much;
};

DoctorCheck CheckOne(const PressureLook& look, const Result<Pressure>& pressure, const Kind& kind) {
  const std::string file = FileOf(look, kind.resource);
  if (!pressure) return NotTold(kind.subject, kind.kind, file, pressure.error().message);
  DoctorCheck check{
      .state = State::kGood,
      .subject = kind.subject,
      .found = fmt::format("{} of the last 10 s, {} of the last minute, some work {} waited for {}",
                           FormatPercent(pressure->some.avg10), FormatPercent(pressure->some.avg60),
                           WhereOf(look), kind.what),
      .remedy = "",
      .kind = kind.kind,
      .evidence = {{file, LineText("some", pressure->some)}}};
  if (const auto& full = pressure->full) check.evidence.push_back({file, LineText("full", *full)});
  if (Worst(pressure) >= kind.much) check.state = State::kNote;
  return check;
}

constexpr Kind kCpu{"cpu", "CPU pressure", "cpu_pressure", "a core", kMuchCpu};
constexpr Kind kMemory{"memory", "mem pressure", "memory_pressure", "memory", kMuchMemory};
constexpr Kind kIo{"io", "I/O pressure", "io_pressure", "storage", kMuchIo};

// Known to hold nothing: less of it frees nothing.
bool IsEmpty(const Snapshot& seen, const Knob& knob) {
  if (knob.id.target >= seen.connectors.size()) return false;
  const ConnectorReading& connector = seen.connectors[knob.id.target];
  return connector.counted && connector.bytes.count == 0;
}

std::int64_t HeldBy(const Snapshot& seen, const Knob& knob) {
  return knob.id.target < seen.connectors.size() ? seen.connectors[knob.id.target].bytes.count : 0;
}

void AddCut(const Knob& knob, std::int64_t to, std::vector<Cut>& cuts) {
  to = std::max(to, knob.min);
  if (to < knob.value && cuts.size() < kMostCuts) cuts.push_back({knob.id, knob.name, knob.value, to});
}

std::string ChangeText(const Outlook& now, const Outlook& then) {
  const double loss = 1 - then.rate.per_second / now.rate.per_second;
  std::string text = loss > 0.0005    ? fmt::format("{} fewer items a second", FormatPercent(Fraction{loss}))
                     : loss < -0.0005 ? fmt::format("{} more items a second", FormatPercent(Fraction{-loss}))
                                      : "as many items a second";
  if (now.bytes.count > 0 && now.bytes >= then.bytes)
    text += fmt::format(", {} less memory", FormatBytes(now.bytes - then.bytes));
  else
    text += ", how much less memory is not known";
  return text + fmt::format(", {:.2f} cores instead of {:.2f}", then.cores, now.cores);
}

std::string OutlookText(const Outlook& outlook) {
  return fmt::format("{} items a second, {:.2f} cores, {}", FormatCount(outlook.rate.per_second),
                     outlook.cores,
                     outlook.bytes.count > 0 ? FormatBytes(outlook.bytes) : "memory not known");
}

DoctorCheck CutCheck(const MeasuredPipeline& pipeline, const Foreseen& foreseen) {
  const Cut& cut = foreseen.cut;
  DoctorCheck check{
      .state = State::kNote,
      .subject = "give up",
      .found =
          fmt::format("{} ({}): {} {} to {}: ", pipeline.program, pipeline.pid, cut.knob, cut.from, cut.to),
      .remedy = fmt::format("sluice top {}, then k {} {}", pipeline.pid, cut.knob, cut.to),
      .kind = "give_up",
      .evidence = {{fmt::format("segment of {}: {}", pipeline.pid, cut.knob), std::to_string(cut.from)}},
      .costs = "the rights of the run's user; at once; the tuner may raise it again, p pins it"};
  if (!foreseen.steered) {
    check.remedy =
        fmt::format("sluice run SCENARIO --set {}={}, or the same in the script", cut.knob, cut.to);
    check.costs = "no rights; a new start";
  }
  if (foreseen.now && foreseen.then && foreseen.now->rate.per_second > 0) {
    check.found += ChangeText(*foreseen.now, *foreseen.then) + ", by " + foreseen.by;
    if (!foreseen.unknown.empty()) check.evidence.push_back({"control socket", foreseen.unknown});
    check.evidence.push_back({"forecast: now", OutlookText(*foreseen.now)});
    check.evidence.push_back({"forecast: then", OutlookText(*foreseen.then)});
  } else {
    check.found += "what that costs is not predicted: " +
                   (foreseen.unknown.empty() ? "the run takes no items now" : foreseen.unknown);
  }
  return check;
}

DoctorCheck InScript(const MeasuredPipeline& pipeline, const std::string& what, const std::string& remedy,
                     const char* costs) {
  return {.state = State::kNote,
          .subject = "give up",
          .found = fmt::format("{} ({}): {}; no knob of a run, so what that costs is not predicted",
                               pipeline.program, pipeline.pid, what),
          .remedy = remedy,
          .kind = "give_up",
          .evidence = {{fmt::format("segment of {}", pipeline.pid), "its ops"}},
          .costs = costs};
}

void AddInScript(const MeasuredPipeline& pipeline, Strain strain, std::vector<DoctorCheck>& checks) {
  if (pipeline.seen.graph == nullptr) return;
  const Graph& graph = *pipeline.seen.graph;
  for (const OpInfo& op : graph.ops) {
    if (op.kind != "shuffle" || !strain.memory) continue;
    checks.push_back(
        InScript(pipeline, fmt::format("a smaller shuffle buffer in {}", op.name),
                 fmt::format("a smaller buffer_size of {} in the scenario or the script", op.name),
                 "no rights; a new start; rows are mixed less"));
  }
  for (const ConnectorInfo& connector : graph.connectors) {
    if (!connector.to || graph.ops[Index(connector.from)].kind != "map" ||
        graph.ops[Index(*connector.to)].kind != "map")
      continue;
    const std::string &first = graph.ops[Index(connector.from)].name,
                      &second = graph.ops[Index(*connector.to)].name;
    checks.push_back(InScript(pipeline,
                              fmt::format("{} and {} as one map, without the buffer between", first, second),
                              fmt::format("call what {} and {} do in one map of the script", first, second),
                              "no rights; a new start; both have the same workers then"));
  }
}

}  // namespace

Strain StrainOf(const PressureLook& look) {
  return {Worst(look.cpu) >= kMuchCpu, Worst(look.memory) >= kMuchMemory};
}

std::vector<DoctorCheck> PressureChecks(const PressureLook& look) {
  return {CheckOne(look, look.cpu, kCpu), CheckOne(look, look.memory, kMemory), CheckOne(look, look.io, kIo)};
}

std::vector<Cut> CutsOf(const Snapshot& seen, Strain strain) {
  std::vector<Knob> buffers, workers;
  for (const Knob& knob : seen.knobs) {
    if (knob.id.kind == KnobKind::kCapacity && !IsEmpty(seen, knob)) buffers.push_back(knob);
    if (knob.id.kind == KnobKind::kWorkers) workers.push_back(knob);
  }
  std::ranges::stable_sort(buffers,
                           [&](const Knob& a, const Knob& b) { return HeldBy(seen, a) > HeldBy(seen, b); });
  std::ranges::stable_sort(workers, std::ranges::greater(), &Knob::value);
  std::vector<Cut> cuts;
  if (strain.memory) {
    for (const Knob& knob : buffers) AddCut(knob, knob.value / 2, cuts);
  }
  if (strain.any()) {
    for (const Knob& knob : workers) AddCut(knob, knob.value - 1, cuts);
  }
  return cuts;
}

std::vector<DoctorCheck> CutChecks(const MeasuredPipeline& pipeline, const std::vector<Foreseen>& foreseen,
                                   Strain strain) {
  std::vector<DoctorCheck> checks;
  checks.reserve(foreseen.size());
  for (const Foreseen& each : foreseen) checks.push_back(CutCheck(pipeline, each));
  AddInScript(pipeline, strain, checks);
  return checks;
}

}  // namespace sluice::app
