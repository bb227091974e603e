#include "sluice/exporters/prometheus_text.h"

#include <gmock/gmock.h>

#include "comma_locale.h"
#include "exporters/command.h"
#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

const RunIdentity kRun = {"jpeg-train", "4242-17f3", "0.1.0"};

std::string Text() {
  return PrometheusText(kRun, example::At(seconds(12), 755, 2), example::Decisions());
}

Snapshot Pathological() {
  Snapshot snapshot = example::At(seconds(12), 755, 2);
  auto graph = std::make_shared<Graph>(*snapshot.graph);
  graph->ops[0].name = "quote \" back \\ line\nbreak";
  graph->ops[1].name = "日本 🚀 →";
  graph->ops[2].name = "broken \xff\xc3";
  graph->ops[3].name = "";
  snapshot.graph = graph;
  return snapshot;
}

void ExpectPromtoolAccepts(const std::string& text) {
  if (std::string(SLUICE_PROMTOOL).empty()) GTEST_SKIP() << "promtool is not installed";
  const CommandResult checked = RunCommand(SLUICE_PROMTOOL " check metrics", text);
  EXPECT_EQ(checked.status, 0) << checked.output;
}

TEST(PrometheusText, HasNoFaultThatPromtoolFinds) {
  ExpectPromtoolAccepts(Text());
}

TEST(PrometheusText, StaysValidWithNothingMeasured) {
  ExpectPromtoolAccepts(PrometheusText({}, Snapshot{}, DecisionLog{}));
}

TEST(PrometheusText, StaysValidWithAnyName) {
  ExpectPromtoolAccepts(PrometheusText({"a\"b\n", "\xff", "\\"}, Pathological(), DecisionLog{}));
}

TEST(PrometheusText, ReadsTheSameInAnIndependentParser) {
  const std::string script =
      "import sys\n"
      "from prometheus_client.parser import text_string_to_metric_families as parse\n"
      "samples = [s for f in parse(sys.stdin.read()) for s in f.samples]\n"
      "get = lambda n, **l: [s.value for s in samples if s.name == n and s.labels == l][0]\n"
      "assert get('sluice_op_items_total', op='decode') == 9060\n"
      "assert get('sluice_op_busy_seconds_total', op='decode') == 23.64\n"
      "assert get('sluice_op_items_total', op='quote \\\" back \\\\ line\\nbreak') == 9060\n"
      "assert get('sluice_op_item_duration_seconds_bucket', op='decode', le='+Inf') == 9060\n";
  if (std::string(SLUICE_PYTHON).empty() ||
      RunCommand(SLUICE_PYTHON " -c 'import prometheus_client'", "").status != 0) {
    GTEST_SKIP() << "python3-prometheus-client is not installed";
  }
  Snapshot snapshot = Pathological();
  auto graph = std::make_shared<Graph>(*snapshot.graph);
  graph->ops[2].name = "decode";
  snapshot.graph = graph;
  std::string quoted;
  for (const char c : script) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const CommandResult parsed =
      RunCommand(SLUICE_PYTHON " -c '" + quoted + "'", PrometheusText(kRun, snapshot, DecisionLog{}));
  EXPECT_EQ(parsed.status, 0) << parsed.output;
}

TEST(PrometheusText, TellsSeveralPipelinesApartAndEachProcessOnce) {
  const Snapshot train = example::At(seconds(12), 755, 2);
  const Snapshot val = example::At(seconds(3), 100, 1);
  const DecisionLog decisions = example::Decisions();
  const std::vector<PipelineMetrics> pipelines = {{"train", 0, 70, &train, &decisions},
                                                  {"val", 0, 70, &val, &decisions},
                                                  {"train", 1, 71, &train, &decisions},
                                                  {"alone", {}, 72, &val, &decisions}};
  const std::string text = PrometheusText(kRun, pipelines);
  ExpectPromtoolAccepts(text);
  EXPECT_THAT(text, HasSubstr("sluice_op_items_total{loader=\"train\",rank=\"0\",op=\"decode\"} 9060\n"));
  EXPECT_THAT(text, HasSubstr("sluice_op_items_total{loader=\"val\",rank=\"0\",op=\"decode\"} 300\n"));
  EXPECT_THAT(text, HasSubstr("sluice_consumer_items_total{loader=\"train\",rank=\"1\"} "));
  EXPECT_THAT(text, HasSubstr("sluice_consumer_items_total{loader=\"alone\"} "));
  EXPECT_THAT(text, HasSubstr("sluice_run_finished{loader=\"val\",rank=\"0\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("sluice_process_cpu_seconds_total{pid=\"70\",rank=\"0\"} "));
  EXPECT_THAT(text, HasSubstr("sluice_process_cpu_seconds_total{pid=\"72\"} "));
  std::size_t processes = 0;
  for (std::size_t at = 0; (at = text.find("\nsluice_process_cpu_seconds_total{", at)) != std::string::npos;
       ++at)
    ++processes;
  EXPECT_EQ(processes, 3u);
  ExpectPromtoolAccepts(PrometheusText(kRun, std::vector<PipelineMetrics>{}));
}

TEST(PrometheusText, WritesDecimalPointsInEveryLocale) {
  const std::string plain = Text();
  const CommaLocale commas;
  EXPECT_EQ(Text(), plain);
  EXPECT_THAT(plain, HasSubstr("sluice_op_busy_seconds_total{op=\"decode\"} 23.64\n"));
}

TEST(PrometheusText, HasNoSampleForWhatIsMissing) {
  Snapshot snapshot = example::At(seconds(12), 755, 2);
  snapshot.ops[2].on_cpu.reset();
  snapshot.rss.reset();
  snapshot.budget.memory = Bytes{0};
  const std::string text = PrometheusText(kRun, snapshot, DecisionLog{});
  EXPECT_THAT(text, Not(HasSubstr("sluice_op_on_cpu_seconds_total{op=\"decode\"}")));
  EXPECT_THAT(text, HasSubstr("sluice_op_on_cpu_seconds_total{op=\"read\"}"));
  EXPECT_THAT(text, Not(HasSubstr("sluice_process_resident_memory_bytes")));
  EXPECT_THAT(text, Not(HasSubstr("sluice_buffered_limit_bytes")));
  EXPECT_THAT(text, Not(HasSubstr("throttled")));
}

TEST(PrometheusText, CountsDecisionsPerKnobFromZero) {
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"kept\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"rolled_back\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"read.workers\",outcome=\"kept\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("sluice_knob_pinned{knob=\"augment.workers\"} 1\n"));
}

TEST(PrometheusText, CountsAChangeOnTrialOnlyOnceItsFateIsKnown) {
  DecisionLog log;
  log.Add(example::Widen(1, 1, 1, 2, ""));
  const Snapshot now = example::At(seconds(12), 755, 2);
  EXPECT_THAT(PrometheusText(kRun, now, log), HasSubstr("sluice_knob_on_trial{knob=\"decode.workers\"} 1\n"));
  EXPECT_THAT(PrometheusText(kRun, now, log),
              HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"kept\"} 0\n"));
}

TEST(PrometheusText, SpreadsABucketThatABoundCuts) {
  Snapshot snapshot = example::At(seconds(12), 755, 2);
  snapshot.ops[2].latency = {};
  snapshot.ops[2].latency[20] = 1000;  // 1.05 to 2.10 ms
  snapshot.ops[2].latency[21] = 1000;  // 2.10 to 4.19 ms
  const std::string text = PrometheusText(kRun, snapshot, DecisionLog{});
  const std::string bucket = "sluice_op_item_duration_seconds_bucket{op=\"decode\",le=";
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.0025\"} 1192\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.005\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"+Inf\"} 2000\n"));
}

}  // namespace
}  // namespace sluice::exporters
