#include "sluice/exporters/live_table.h"

#include <gmock/gmock.h>

#include "comma_locale.h"
#include "exporters/example_run.h"
#include "sluice/base/machine_limits.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Frame(const LiveView& view, const TextStyle& style) {
  std::string text = "\n";
  for (const std::string& line : LiveTable(view, style)) text += line + "\n";
  return text;
}

TEST(LiveTable, LooksLikeThisAt100Columns) {
  const CommaLocale commas;
  EXPECT_EQ(Frame(example::View(), {100, 30, false, true}), R"(
jpeg-train · 12.4s · epoch 0 · tuning
process   1.9 of 4 cores ███▉░░░░   37.4 MiB of 512 MiB buffered ▋░░░░░░░   rss 393 MiB
consumer  12.1 batches/s   755 rows/s   starved 62% █████░░░  ▇▇▇▇▅▅▅▅▄▂▁▁▃▅

   op       limit   workers  items/s  busy  starved  backed up  on-CPU  runnable  off-CPU     p99
   read                   1      755   34%       0%        66%     31%        2%       1%  1.57ms
  │  16/16  ████████████████  mean 16.0    empty 0%  full 97%  1.64 MiB
   shuffle                1      755    2%      30%        68%      2%      0.1%     0.1%  24.5us
  │  31/32  ███████████████▌  mean 31.0  empty 0.1%  full 93%  3.18 MiB
▶  decode   LIMITS        2      755   98%       1%       0.5%     89%        6%       4%  6.28ms
  │    0/8  ░░░░░░░░░░░░░░░░   mean 0.0   empty 94%   full 0%       0 B
   augment                1      755   41%      57%         2%     37%        2%       2%  3.14ms
  │    1/8  ██░░░░░░░░░░░░░░   mean 1.0   empty 81%   full 2%   105 KiB
   batch                  1     12.1    8%      90%         2%      7%      0.5%     0.3%  4.17ms
  │    0/2  ░░░░░░░░░░░░░░░░   mean 0.0   empty 62%   full 0%       0 B

  at  decision                                      fate           predicted  measured
3.2s  decode.workers 1 → 2                          kept                +95%      +88%
        decode is busy 99% of its time while the ops before it are backed up
6.1s  decode.workers 2 → 4, decode.capacity 8 → 16  rolled back         +84%       -2%
        decode still limits: 2 of 4 cores are used, each worker is busy 98%
9.5s  decode.workers 4 → 5                          kept, by user          –         –
        set by the user

verdict   decode limits the run: the consumer is starved 62% of its time and decode is busy 99%;
          give it more workers (decode.workers 2 → 4 is predicted to give +84%). (high confidence)
)");
}

TEST(LiveTable, LooksLikeThisInAsciiAt80Columns) {
  EXPECT_EQ(Frame(example::View(), {80, 24, false, false}), R"(
jpeg-train - 12.4s - epoch 0 - tuning
process   1.9 of 4 cores ####....   37.4 MiB of 512 MiB buffered #.......
consumer  12.1 batches/s   755 rows/s   starved 62% #####...  ++++:::::.__.:

   op       limit   workers  items/s  busy  starved  backed up  off-CPU     p99
   read                   1      755   34%       0%        66%       1%  1.57ms
  |  16/16  ##########  mean 16.0    empty 0%  full 97%  1.64 MiB
   shuffle                1      755    2%      30%        68%     0.1%  24.5us
  |  31/32  ##########  mean 31.0  empty 0.1%  full 93%  3.18 MiB
>  decode   LIMITS        2      755   98%       1%       0.5%       4%  6.28ms
  |    0/8  ..........   mean 0.0   empty 94%   full 0%       0 B
   augment                1      755   41%      57%         2%       2%  3.14ms
  |    1/8  #.........   mean 1.0   empty 81%   full 2%   105 KiB
   batch                  1     12.1    8%      90%         2%     0.3%  4.17ms
  |    0/2  ..........   mean 0.0   empty 62%   full 0%       0 B

  at  decision               fate           predicted  measured
9.5s  decode.workers 4 -> 5  kept, by user          -         -
        set by the user

verdict   decode limits the run: the consumer is starved 62% of its time and
          decode is busy 99%; give it more workers (decode.workers 2 -> 4 is
          predicted to give +84%). (high confidence)
)");
}

class AnySize : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(AnySize, FitsTheWindow) {
  const auto [width, height] = GetParam();
  for (const bool unicode : {true, false}) {
    const auto lines = LiveTable(example::View(), {width, height, false, unicode});
    EXPECT_LE(lines.size(), static_cast<std::size_t>(height));
    for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AnySize,
                         testing::Combine(testing::Values(1, 10, 40, 60, 80, 100, 120, 200),
                                          testing::Values(1, 4, 8, 14, 24, 30, 60)));

LiveView Throttled(Fraction share) {
  LiveView view = example::View();
  MachineLimits limits;
  limits.cpus = 16;
  limits.quotas = {{.group = "cgroup /pod", .bound = {2, ""}, .use = {}, .throttled_share = share}};
  view.now.machine = std::make_shared<const MachineLimits>(limits);
  return view;
}

TEST(LiveTable, NamesTheQuotaThatHoldsTheRunBackInsteadOfWhatItUses) {
  EXPECT_THAT(LiveTable(Throttled({0.93}), {100, 30, false, true})[1],
              StartsWith("process   throttled by the cgroup quota: 2.0 of 16 cores (93% of periods)"));
  EXPECT_THAT(LiveTable(Throttled({0.93}), {60, 30, false, true})[1], StartsWith("process   1.9 of 4 cores"))
      << "no room for it";
  EXPECT_THAT(LiveTable(Throttled({0.01}), {100, 30, false, true})[1],
              StartsWith("process   1.9 of 4 cores"));
}

TEST(LiveTable, MarksTheLimitWithASignAndAWord) {
  EXPECT_THAT(LiveTable(example::View(), {80, 24, false, true}), Contains(StartsWith("▶  decode   LIMITS")));
  LiveView unsure = example::View();
  unsure.verdict.limit = Limit::kUnknown;
  EXPECT_THAT(Frame(unsure, {80, 24, false, true}), Not(HasSubstr("LIMITS")));
}

TEST(LiveTable, KeepsTheLimitInSightInALowWindow) {
  const std::string frame = Frame(example::View(), {80, 8, false, true});
  EXPECT_THAT(frame, HasSubstr("LIMITS"));
  EXPECT_THAT(frame, HasSubstr("more ops: enlarge the window"));
  EXPECT_THAT(frame, HasSubstr("verdict"));
}

TEST(LiveTable, ShowsDashesForWhatIsMissing) {
  LiveView first = example::View();
  first.previous = {};
  first.now.rss.reset();
  const std::string frame = Frame(first, {100, 30, false, true});
  EXPECT_THAT(frame, HasSubstr("– batches/s   – rows/s   starved –"));
  EXPECT_THAT(frame, HasSubstr("rss –"));
  EXPECT_THAT(frame, Not(HasSubstr("0%")));
  EXPECT_THAT(Frame(LiveView{}, {80, 24, false, true}), HasSubstr("no op has reported yet"));
}

TEST(LiveTable, ShowsWorkersThatAreOnTheirWay) {
  LiveView view = example::View();
  view.now.knobs[1].requested = 4;
  EXPECT_THAT(Frame(view, {100, 30, false, true}), HasSubstr("2→4"));
}

TEST(LiveTable, ShowsTheRegimeOfAnOpWhereOneIsKnown) {
  LiveView view = example::View();
  EXPECT_THAT(Frame(view, {120, 30, false, true}), Not(HasSubstr("regime")));
  view.verdict.regimes = {Regime::kUnknown, Regime::kUnknown, Regime::kContended};
  EXPECT_THAT(Frame(view, {120, 30, false, true}), HasSubstr("LIMITS  contended"));
}

TEST(LiveTable, NamesTheTargetOfAConnectorThatSkipsAnOp) {
  LiveView view = example::View();
  auto graph = std::make_shared<Graph>(*view.now.graph);
  graph->connectors[1].to = OpId{4};
  view.now.graph = graph;
  EXPECT_THAT(Frame(view, {100, 30, false, true}), HasSubstr("→ batch"));
}

TEST(LiveTable, LetsNoNameControlTheTerminal) {
  LiveView view = example::View();
  auto graph = std::make_shared<Graph>(*view.now.graph);
  graph->ops[2].name = "a\x1b[2J\nb\xff";
  view.now.graph = graph;
  view.scenario = "\x1b]0;title\x07";
  for (const std::string& line : LiveTable(view, {100, 30, false, true})) {
    EXPECT_EQ(line.find_first_of("\x1b\n\x07"), std::string::npos) << line;
  }
}

TEST(LiveTable, TellsNothingByColourAlone) {
  std::string plain = Frame(example::View(), {100, 30, true, true});
  for (std::size_t at = 0; (at = plain.find('\x1b')) != std::string::npos;) {
    plain.erase(at, plain.find('m', at) - at + 1);
  }
  EXPECT_EQ(plain, Frame(example::View(), {100, 30, false, true}));
}

}  // namespace
}  // namespace sluice::exporters
