#include "sluice/exporters/plain_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/exporters/interval.h"
#include "text/figures.h"
#include "text/utf8.h"

namespace sluice::exporters {

std::string ProgressLine(const Snapshot& previous, const Snapshot& now, MonoTime run_start,
                         const Verdict& verdict, const TextStyle& style) {
  const ConsumerInterval consumer = MeasureConsumer(previous, now);
  std::string line = fmt::format("t={:.1f}s  {} {}/s  {} rows/s  starved {}", Seconds(now.at - run_start),
                                 RateText(consumer.items), ItemsWord(now), RateText(consumer.rows),
                                 PercentText(consumer.starved));
  const std::size_t count = now.graph ? std::min(now.ops.size(), now.graph->ops.size()) : 0;
  for (std::size_t op = 0; op < count; ++op) {
    line +=
        fmt::format(" | {} {}w busy {}{}", now.graph->ops[op].name, now.ops[op].workers,
                    PercentText(MeasureOp(previous, now, op).busy), IsLimit(verdict, op) ? " *limits*" : "");
  }
  return Printable(line, style.unicode);
}

}  // namespace sluice::exporters
