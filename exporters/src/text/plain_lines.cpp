#include "sluice/exporters/plain_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/view_rows.h"
#include "text/figures.h"
#include "text/utf8.h"

namespace sluice::exporters {

std::string ProgressLine(const Snapshot& previous, const Snapshot& now, MonoTime run_start,
                         const Verdict& verdict, const TextStyle& style) {
  const ConsumerInterval consumer = MeasureConsumer(previous, now);
  std::string line = fmt::format("t={:.1f}s  {} {}/s  {} rows/s  starved {}", Seconds(now.at - run_start),
                                 RateText(consumer.items), ItemsWord(now), RateText(consumer.rows),
                                 PercentText(consumer.starved));
  for (const OpRow& row : OpRows(previous, now, verdict)) {
    line += fmt::format(" | {} {}w busy {}{}", row.info.name, row.total.workers, PercentText(row.seen.busy),
                        row.limits ? " *limits*" : "");
  }
  return Printable(line, style.unicode);
}

std::string ProgressText(Nanos since_start, const std::vector<LoaderNow>& loaders) {
  const auto most = std::ranges::max_element(loaders, {}, &LoaderNow::active);
  if (most == loaders.end() || most->rate <= 0) return {};
  const std::string waits = most->waits ? ", " + PercentText(most->waits) + " waiting" : "";
  return fmt::format("{}: epoch {}, {} batches/s{} ({})", FormatDuration(since_start), most->epoch + 1,
                     FormatRate(most->rate), waits, most->program);
}

}  // namespace sluice::exporters
