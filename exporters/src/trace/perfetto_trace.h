// A trace in Perfetto's protobuf (protos/perfetto/trace of that project).
#pragma once
#include <string>

#include "sluice/exporters/trace.h"
#include "trace/trace_words.h"
#include "wire/wire.h"

namespace sluice::exporters {

// One thread.
class PerfettoTrace : public TraceWriter {
 public:
  std::string Begin(MonoTime now, Nanos wall) override;
  std::string Clocks(MonoTime now, Nanos wall) override;
  std::string Add(const TracePipeline& pipeline) override;
  std::string Add(const TraceTrack& added) override;
  void Add(const TraceSpan& span, std::string& to) override;
  std::string Counters(std::uint32_t pipeline, const Snapshot& now) override;
  std::string Mark(std::uint32_t pipeline, MonoTime at, const std::string& what,
                   const std::string& detail) override;
  std::string End(MonoTime now) override;

 private:
  void AppendEvent(MonoTime at, const WireMessage& event, std::string& to);

  TracedPipelines pipelines_;
  WireMessage event_, note_, packet_, framed_;     // of spans, kept for their memory
  std::map<std::uint32_t, std::size_t> counters_;  // of each pipeline: how many have a track
};

}  // namespace sluice::exporters
