// A trace as Chrome's trace events, one to a line.
#pragma once
#include <string>

#include "sluice/exporters/trace.h"
#include "trace/trace_words.h"

namespace sluice::exporters {

// One thread.
class ChromeTrace : public TraceWriter {
 public:
  std::string Begin(MonoTime now, Nanos wall) override;
  std::string Clocks(MonoTime now, Nanos wall) override;
  std::string Add(const TracePipeline& pipeline) override;
  std::string Add(const TraceTrack& track) override;
  void Add(const TraceSpan& span, std::string& to) override;
  std::string Counters(std::uint32_t pipeline, const Snapshot& now) override;
  std::string Mark(std::uint32_t pipeline, MonoTime at, const std::string& what,
                   const std::string& detail) override;
  std::string End(MonoTime now) override;

 private:
  TracedPipelines pipelines_;
};

}  // namespace sluice::exporters
