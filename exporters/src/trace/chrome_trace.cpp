#include "trace/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "json/json_values.h"

namespace sluice::exporters {
namespace {

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Microseconds, to the nanosecond; a double has not enough digits for a machine that is up for long.
std::string Micros(Nanos time) {
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

// Viewers sort what is told of processes and threads by these.
std::string Named(const char* what, std::uint32_t pid, std::uint32_t tid, const std::string& value) {
  return fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}}},\n", what, pid,
                     tid, value);
}

// Thread 0 of a process is the pipeline itself, where marks are.
std::uint32_t ThreadOf(std::uint32_t track) {
  return track + 1;
}

std::string Instant(std::uint32_t pid, MonoTime at, const std::string& name, const std::string& args) {
  return fmt::format(
      "{{\"ph\":\"i\",\"s\":\"{}\",\"name\":{},\"ts\":{},\"pid\":{},\"tid\":0,\"args\":{{{}}}}}",
      pid == 0 ? "g" : "p", Quoted(name), Micros(at), pid, args);
}

std::string Clock(MonoTime now, Nanos wall) {
  return Instant(0, now, "clock", fmt::format("\"unix_nanoseconds\":\"{}\"", wall.count()));
}

}  // namespace

// An array needs neither its end nor a last element without a comma to be read.
std::string ChromeTrace::Begin(MonoTime now, Nanos wall) {
  return "[" + Clock(now, wall) + ",\n";
}

std::string ChromeTrace::Clocks(MonoTime now, Nanos wall) {
  return Clock(now, wall) + ",\n";
}

std::string ChromeTrace::Add(const TracePipeline& pipeline) {
  // Quoted, but for the quotes.
  pipelines_.Add(pipeline, [](const std::string& name) {
    const std::string quoted = Quoted(name);
    return quoted.substr(1, quoted.size() - 2);
  });
  return Named("process_name", pipeline.number, 0, "\"name\":" + Quoted(PipelineTitle(pipeline))) +
         Named("process_sort_index", pipeline.number, 0, fmt::format("\"sort_index\":{}", pipeline.number)) +
         Named("thread_name", pipeline.number, 0, "\"name\":\"marks\"");
}

std::string ChromeTrace::Add(const TraceTrack& track) {
  const std::uint32_t tid = ThreadOf(track.number);
  return Named("thread_name", track.pipeline, tid, "\"name\":" + Quoted(track.name)) +
         Named("thread_sort_index", track.pipeline, tid, fmt::format("\"sort_index\":{}", track.order + 1));
}

void ChromeTrace::Add(const TraceSpan& span, std::string& to) {
  const std::uint32_t pid = span.pipeline, tid = ThreadOf(span.track);
  const auto& items = span.made ? span.made : span.took;
  std::string args;
  if (items) args = fmt::format("\"item\":{},\"items\":{}", items->first, items->count);
  if (span.unfinished) args += fmt::format("{}\"unfinished\":true", args.empty() ? "" : ",");
  fmt::format_to(std::back_inserter(to),
                 "{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{},"
                 "\"args\":{{{}}}}},\n",
                 pipelines_.SpanName(span), SpanCategory(span), Micros(span.begin), Micros(span.length), pid,
                 tid, args);
  const auto arrow = [&](const char* phase, MonoTime at) {
    return [&to, phase, at, pid, tid](std::uint64_t id) {
      fmt::format_to(std::back_inserter(to),
                     "{{\"ph\":\"{}\",\"id\":\"{:#x}\",\"cat\":\"item\",\"name\":\"item\",\"ts\":{},\"pid\":{"
                     "},\"tid\":{}}},\n",
                     phase, id, Micros(at), pid, tid);
    };
  };
  // Within their slices: one may begin, with the look for items, before they are
  // there.
  ForEachFlow(pid, span.made, arrow("s", span.begin));
  const Nanos last = std::max(span.length - Nanos(1), Nanos(0));
  ForEachFlow(pid, span.took, arrow("f\",\"bp\":\"e", span.begin + last));
}

std::string ChromeTrace::Counters(std::uint32_t pipeline, const Snapshot& now) {
  std::string events;
  const std::vector<TraceCounter> counters = CountersOf(now);
  for (std::size_t i = 0; i < counters.size();) {
    std::string args;
    const std::string& name = counters[i].name;
    for (; i < counters.size() && counters[i].name == name; ++i)
      args += fmt::format("{}\"{}\":{}", args.empty() ? "" : ",", counters[i].series, counters[i].value);
    events += fmt::format("{{\"ph\":\"C\",\"name\":{},\"ts\":{},\"pid\":{},\"args\":{{{}}}}},\n",
                          Quoted(name), Micros(now.at), pipeline, args);
  }
  return events;
}

std::string ChromeTrace::Mark(std::uint32_t pipeline, MonoTime at, const std::string& what,
                              const std::string& detail) {
  const std::string args = detail.empty() ? "" : "\"detail\":" + Quoted(detail);
  return Instant(pipeline, at, what, args) + ",\n";
}

std::string ChromeTrace::End(MonoTime now) {
  return Instant(0, now, "end of the trace", "") + "]\n";
}

}  // namespace sluice::exporters
