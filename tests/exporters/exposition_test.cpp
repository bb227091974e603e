#include "sluice/exporters/exposition.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "comma_locale.h"
#include "exporters/command.h"
#include "exporters/example_run.h"
#include "sluice/exporters/metric_catalogue.h"
#include "sluice/exporters/metrics_text.h"

namespace sluice::exporters {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

const RunIdentity kRun = {"jpeg-train", "4242-17f3", "0.1.0"};

Exposition ExposeOne(const RunIdentity& run, const Snapshot& now, const DecisionLog& decisions) {
  const PipelineMetrics pipeline{.now = &now, .decisions = &decisions};
  return Expose(run, {}, {&pipeline, 1});
}

std::string TextOf(const Exposition& exposition) {
  return MetricsText(exposition, MetricsFormat::kText);
}

std::string OpenMetricsOf(const Exposition& exposition) {
  return MetricsText(exposition, MetricsFormat::kOpenMetrics);
}

std::string PrometheusText(const RunIdentity& run, const Snapshot& now, const DecisionLog& decisions) {
  return TextOf(ExposeOne(run, now, decisions));
}

std::string Text() {
  return PrometheusText(kRun, example::At(seconds(12), 755, 2), example::Decisions());
}

// Two of decode, and one of augment between them.
std::vector<WorkerReading> ThreeWorkers() {
  return {{OpId{2}, 0, 40, milliseconds(4500), milliseconds(250), milliseconds(125)},
          {OpId{3}, 0, 41, seconds(1), seconds(2), seconds(3)},
          {OpId{2}, 1, 42, seconds(5), Nanos(0), Nanos(0)}};
}

// A run of which everything is known that there is a metric for.
Exposition Everything() {
  Snapshot now = example::At(seconds(12), 755, 2);
  now.throttled = seconds(1);
  now.ops[2].worker_memory = 30_MiB;
  DecisionLog decisions = example::Decisions();
  decisions.Add(example::Widen(4, 11, 2, 3, "on trial"));
  const Verdict verdict = example::DecodeLimits();
  const PipelineMetrics pipeline{
      .now = &now, .decisions = &decisions, .verdict = &verdict, .workers = WorkerSeries{ThreeWorkers(), 3}};
  const AgentFigures agent{
      .tuning = Tuning::kAdvise, .cpu = seconds(2), .shared_memory_size = 8_GiB, .shared_memory_free = 1_GiB};
  return Expose(kRun, agent, {&pipeline, 1});
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

TEST(Exposition, HasNoFaultThatPromtoolFinds) {
  ExpectPromtoolAccepts(Text());
}

TEST(Exposition, StaysValidWithNothingMeasured) {
  ExpectPromtoolAccepts(PrometheusText({}, Snapshot{}, DecisionLog{}));
}

TEST(Exposition, StaysValidWithAnyName) {
  ExpectPromtoolAccepts(PrometheusText({"a\"b\n", "\xff", "\\"}, Pathological(), DecisionLog{}));
}

// Runs `script` on `text`; it reads `families`, which `parser` has made of it.
void ExpectPythonAgrees(const std::string& parser, const std::string& script, const std::string& text) {
  if (std::string(SLUICE_PYTHON).empty() ||
      RunCommand(SLUICE_PYTHON " -c 'import prometheus_client'", "").status != 0) {
    GTEST_SKIP() << "python3-prometheus-client is not installed";
  }
  const std::string whole =
      "import sys\n"
      "from " +
      parser +
      " import text_string_to_metric_families as parse\n"
      "families = list(parse(sys.stdin.read()))\n"
      "samples = [s for f in families for s in f.samples]\n"
      "get = lambda n, **l: [s.value for s in samples if s.name == n and s.labels == l][0]\n" +
      script;
  std::string quoted;
  for (const char c : whole) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const CommandResult parsed = RunCommand(SLUICE_PYTHON " -c '" + quoted + "'", text);
  EXPECT_EQ(parsed.status, 0) << parsed.output;
}

Snapshot PathologicalWithDecode() {
  Snapshot snapshot = Pathological();
  auto graph = std::make_shared<Graph>(*snapshot.graph);
  graph->ops[2].name = "decode";
  snapshot.graph = graph;
  return snapshot;
}

constexpr const char* kSameInBoth =
    "assert get('sluice_op_items_total', op='decode') == 9060\n"
    "assert get('sluice_op_busy_seconds_total', op='decode') == 23.64\n"
    "assert get('sluice_op_items_total', op='quote \" back \\\\ line\\nbreak') == 9060\n"
    "assert get('sluice_op_item_duration_seconds_bucket', op='decode', le='+Inf') == 9060\n";

TEST(Exposition, ReadsTheSameInAnIndependentParser) {
  ExpectPythonAgrees("prometheus_client.parser", kSameInBoth,
                     PrometheusText(kRun, PathologicalWithDecode(), DecisionLog{}));
}

TEST(Exposition, ReadsTheSameAsOpenMetrics) {
  ExpectPythonAgrees("prometheus_client.openmetrics.parser", kSameInBoth,
                     OpenMetricsOf(ExposeOne(kRun, PathologicalWithDecode(), DecisionLog{})));
}

TEST(Exposition, HasTypesAndUnitsAsOpenMetrics) {
  ExpectPythonAgrees(
      "prometheus_client.openmetrics.parser",
      "of = {f.name: f for f in families}\n"
      "assert (of['sluice_run'].type, of['sluice_verdict'].type) == ('info', 'stateset')\n"
      "assert (of['sluice_op_bytes'].type, of['sluice_op_bytes'].unit) == ('counter', 'bytes')\n"
      "assert of['sluice_op_item_duration_seconds'].type == 'histogram'\n"
      "assert of['sluice_knob_value'].unit == ''\n"
      "assert get('sluice_verdict', sluice_verdict='op') == 1\n"
      "assert sum(s.value for s in of['sluice_verdict'].samples) == 1\n"
      "assert get('sluice_op_item_duration_seconds_bucket', op='read', le='1.0') == 9060\n",
      OpenMetricsOf(Everything()));
}

TEST(Exposition, IsOpenMetricsWithNothingMeasured) {
  const std::string nothing = OpenMetricsOf(Expose(RunIdentity{}, AgentFigures{}, {}));
  ExpectPythonAgrees("prometheus_client.openmetrics.parser", "assert len(families) == 2\n", nothing);
  EXPECT_THAT(nothing, testing::EndsWith("\n# EOF\n"));
}

std::set<std::string> FamiliesOf(const std::string& text) {
  std::set<std::string> names;
  const std::regex type("# TYPE ([^ ]*) ");
  for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

TEST(Exposition, HasEveryMetricOfTheCatalogueAndNoOther) {
  std::set<std::string> names;
  for (const Metric& metric : kMetrics) names.emplace(metric.name);
  EXPECT_EQ(FamiliesOf(TextOf(Everything())), names);
  ExpectPromtoolAccepts(TextOf(Everything()));
}

TEST(Exposition, TellsWhatLimitsTheRunAndWhichOp) {
  const std::string text = TextOf(Everything());
  EXPECT_THAT(text, HasSubstr("sluice_verdict{sluice_verdict=\"op\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sluice_verdict{sluice_verdict=\"cores\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("sluice_verdict_op{op=\"decode\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sluice_verdict_op{op=\"read\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("sluice_verdict_confidence_ratio 0.91\n"));
  EXPECT_THAT(text, HasSubstr("sluice_tuner_mode{sluice_tuner_mode=\"advise\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sluice_tuner_mode{sluice_tuner_mode=\"tune\"} 0\n"));
}

TEST(Exposition, TellsWhenAndWithWhatHopeAKnobWasChanged) {
  const std::string text = TextOf(Everything());
  EXPECT_THAT(text, HasSubstr("sluice_trial_predicted_items_per_second 11.5\n"));
  EXPECT_THAT(text, HasSubstr("sluice_trial_before_items_per_second 5.9\n"));
  EXPECT_THAT(text,
              HasSubstr("sluice_knob_last_change_timestamp_seconds{knob=\"decode.workers\"} 1800000011\n"));
  EXPECT_THAT(text, Not(HasSubstr("last_change_timestamp_seconds{knob=\"read.workers\"}")));
}

TEST(Exposition, TellsSeveralPipelinesApartAndEachProcessOnce) {
  const Snapshot train = example::At(seconds(12), 755, 2);
  const Snapshot val = example::At(seconds(3), 100, 1);
  const DecisionLog decisions = example::Decisions();
  const Verdict verdict = example::DecodeLimits();
  const std::vector<PipelineMetrics> pipelines = {{"train", 0, 70, &train, &decisions, &verdict},
                                                  {"val", 0, 70, &val, &decisions, &verdict},
                                                  {"train", 1, 71, &train, &decisions, &verdict},
                                                  {"alone", {}, 72, &val, &decisions, &verdict}};
  const Exposition exposed = Expose(kRun, {}, pipelines);
  const std::string text = TextOf(exposed);
  ExpectPromtoolAccepts(text);
  ExpectPythonAgrees("prometheus_client.openmetrics.parser", "", OpenMetricsOf(exposed));
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
  ExpectPromtoolAccepts(TextOf(Expose(kRun, {}, {})));
}

std::string TextWithWorkers(std::optional<WorkerSeries> workers) {
  const Snapshot now = example::At(seconds(12), 755, 2);
  const DecisionLog decisions;
  const PipelineMetrics pipeline{.now = &now, .decisions = &decisions, .workers = std::move(workers)};
  return TextOf(Expose(kRun, {}, {&pipeline, 1}));
}

TEST(Exposition, HasNoWordOfSingleWorkersUnlessAsked) {
  EXPECT_THAT(Text(), Not(HasSubstr("worker=\"")));
  EXPECT_THAT(Text(), Not(HasSubstr("sluice_worker_")));
  EXPECT_THAT(Text(), Not(HasSubstr("sluice_workers_")));
}

TEST(Exposition, TellsEachWorkerByItsOpAndItsPlaceThere) {
  const std::string text = TextWithWorkers(WorkerSeries{ThreeWorkers(), 3});
  ExpectPromtoolAccepts(text);
  ExpectPythonAgrees("prometheus_client.parser",
                     "assert get('sluice_worker_items_total', op='decode', worker='0') == 40\n"
                     "assert get('sluice_worker_items_total', op='decode', worker='1') == 42\n"
                     "assert get('sluice_worker_busy_seconds_total', op='decode', worker='0') == 4.5\n"
                     "assert get('sluice_worker_starved_seconds_total', op='augment', worker='0') == 2\n"
                     "assert get('sluice_worker_backed_up_seconds_total', op='augment', worker='0') == 3\n"
                     "assert get('sluice_workers_without_series') == 0\n",
                     text);
}

TEST(Exposition, LeavesOutWorkersAboveTheLimitAndCountsThem) {
  const std::string text = TextWithWorkers(WorkerSeries{ThreeWorkers(), 1});
  EXPECT_THAT(text, HasSubstr("sluice_worker_items_total{op=\"decode\",worker=\"0\"} 40\n"));
  EXPECT_THAT(text, Not(HasSubstr("worker=\"1\"")));
  EXPECT_THAT(text, Not(HasSubstr("sluice_worker_items_total{op=\"augment\"")));
  EXPECT_THAT(text, HasSubstr("\nsluice_workers_without_series 2\n"));
}

TEST(Exposition, CountsWorkersFromNoneBeforeTheyStart) {
  EXPECT_THAT(TextWithWorkers(WorkerSeries{{}, 8}), HasSubstr("\nsluice_workers_without_series 0\n"));
}

TEST(Exposition, WritesDecimalPointsInEveryLocale) {
  const std::string plain = Text();
  const std::string openmetrics = OpenMetricsOf(Everything());
  const CommaLocale commas;
  EXPECT_EQ(Text(), plain);
  EXPECT_EQ(OpenMetricsOf(Everything()), openmetrics);
  EXPECT_THAT(plain, HasSubstr("sluice_op_busy_seconds_total{op=\"decode\"} 23.64\n"));
}

TEST(Exposition, HasNoSampleForWhatIsMissing) {
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

TEST(Exposition, CountsDecisionsPerKnobFromZero) {
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"kept\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"rolled_back\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sluice_decisions_total{knob=\"read.workers\",outcome=\"kept\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("sluice_knob_pinned{knob=\"augment.workers\"} 1\n"));
}

TEST(Exposition, CountsAChangeOnTrialOnlyOnceItsFateIsKnown) {
  DecisionLog log;
  log.Add(example::Widen(1, 1, 1, 2, ""));
  const Snapshot now = example::At(seconds(12), 755, 2);
  EXPECT_THAT(PrometheusText(kRun, now, log), HasSubstr("sluice_knob_on_trial{knob=\"decode.workers\"} 1\n"));
  EXPECT_THAT(PrometheusText(kRun, now, log),
              HasSubstr("sluice_decisions_total{knob=\"decode.workers\",outcome=\"kept\"} 0\n"));
}

TEST(Exposition, SpreadsABucketThatABoundCuts) {
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

TEST(Exposition, StepsAndWaitsHaveBoundsUpToMinutes) {
  Snapshot snapshot = PathologicalWithDecode();
  snapshot.consumer.waits[20] = 7;  // 1.05 to 2.10 ms
  snapshot.consumer.waits[34] = 2;  // 17 to 34 s
  const std::string text = PrometheusText(kRun, snapshot, DecisionLog{});
  const std::string bucket = "sluice_step_input_wait_seconds_bucket{le=";
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.005\"} 7\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"10\"} 7\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"100\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("sluice_step_input_wait_seconds_count 9\n"));
}

}  // namespace
}  // namespace sluice::exporters
