#include "sluice/exporters/found_list.h"

#include <iterator>
#include <utility>

#include "text/figures.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

Span StateCell(FoundState state) {
  switch (state) {
    case FoundState::kRunning:
      return {"running", Tone::kGood};
    case FoundState::kFinished:
      return {"finished", Tone::kPlain};
    case FoundState::kStalled:
      return {"stalled", Tone::kBad};
    case FoundState::kDead:
      return {"dead", Tone::kDim};
    case FoundState::kUnreadable:
      return {"unreadable", Tone::kBad};
  }
  return {"unknown", Tone::kDim};
}

}  // namespace

std::vector<std::string> FoundList(const std::vector<FoundRun>& runs, const TextStyle& style) {
  if (runs.empty()) {
    return {Paint({{"No measured process found. Start one with: sluice run SCENARIO"}}, style)};
  }
  Table table({{"pid"},
               {"program", Align::kLeft, 0, true},
               {"run", Align::kLeft, 2},
               {"state", Align::kLeft},
               {"age"},
               {"ops", Align::kRight, 1},
               {"items/s"},
               {"", Align::kLeft, 0, true}});
  for (const FoundRun& run : runs) {
    table.Add({{std::to_string(run.pid)},
               {run.program.empty() ? kMissing : run.program, Tone::kStrong},
               {run.run_id.empty() ? kMissing : run.run_id, Tone::kDim},
               StateCell(run.state),
               {run.age ? ElapsedText(*run.age) : kMissing},
               {run.ops ? std::to_string(*run.ops) : kMissing},
               {RateText(run.consumer)},
               {run.problem, Tone::kDim}});
  }
  std::vector<std::string> lines;
  for (const StyledLine& line : table.Lines(style)) lines.push_back(Paint(line, style));
  return lines;
}

}  // namespace sluice::exporters
