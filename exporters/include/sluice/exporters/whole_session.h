// A session that is written in one go, of what is over: a profile that another system has made, a run that
// was simulated. Every snapshot stays in it.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/exporters/session_recorder.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

struct WholePipeline {
  SessionPipeline info{};
  std::vector<RecordedState> states{};  // in the order of time
  std::vector<RecordedEvent> events{};
  DecisionLog decisions{};
};

// A session that is there is replaced; anything else of that name is left alone: an error that says so.
[[nodiscard]] Result<void> WriteWholeSession(const std::string& path, const SessionFacts& facts,
                                             const std::vector<WholePipeline>& pipelines,
                                             const SessionEnd& end);

// Of each pipeline what limits it, as of its end, and behind them what their events say, each once. Ends with
// a line break.
[[nodiscard]] std::string WholeSessionText(const std::vector<WholePipeline>& pipelines,
                                           const TextStyle& style);

}  // namespace sluice::exporters
