#include "metrics/served_exposition.h"

#include <gmock/gmock.h>

#include <regex>
#include <tuple>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t SamplesIn(const std::string& text) {
  const std::regex sample("(^|\n)[^#\n]");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), sample), std::sregex_iterator()));
}

TEST(ServedExposition, IsTextThatIsMadeOnceForAllWhoAsk) {
  const Exposition exposition = Expose({"small", "run", "0"}, {}, {});
  ServedExposition served(exposition);
  for (const MetricsFormat format : {MetricsFormat::kText, MetricsFormat::kOpenMetrics}) {
    const std::string& text = served.Text(format);
    EXPECT_EQ(text, MetricsText(exposition, format));
    const std::string& zipped = served.Zipped(format);
    EXPECT_EQ(served.Text(format).data(), text.data());
    EXPECT_EQ(served.Zipped(format).data(), zipped.data());
  }
}

TEST(ServedExposition, HasAPathForEachProcessThatTellsOfItAndOfTheRunAlone) {
  const Snapshot now = example::At(std::chrono::seconds(12), 755, 2);
  const DecisionLog decisions;
  const std::vector<PipelineMetrics> pipelines = {{"train", 0, 70, &now, &decisions, nullptr},
                                                  {"val", 0, 70, &now, &decisions, nullptr},
                                                  {"train", 1, 71, &now, &decisions, nullptr},
                                                  {"alone", {}, 72, &now, &decisions, nullptr}};
  ServedExposition served(Expose({"small", "run", "0"}, {.tuning = {}, .cpu = Nanos(1)}, pipelines));
  std::size_t samples = 0;
  for (const auto& [path, own, others] : {std::tuple("/metrics/rank/0", "rank=\"0\"", "rank=\"1\""),
                                          std::tuple("/metrics/rank/1", "rank=\"1\"", "rank=\"0\""),
                                          std::tuple("/metrics/pid/72", "pid=\"72\"", "rank=")}) {
    const auto part = served.Find(path);
    ASSERT_TRUE(part.has_value()) << path;
    const std::string& text = served.Text(MetricsFormat::kText, *part);
    EXPECT_THAT(text, HasSubstr(own)) << path;
    EXPECT_THAT(text, Not(HasSubstr(others))) << path;
    EXPECT_THAT(text, HasSubstr("\nsluice_run_info{")) << path;
    EXPECT_THAT(text, HasSubstr("\nsluice_agent_cpu_seconds_total ")) << path;
    samples += SamplesIn(text) - 3;  // of the run: these two, and sluice_build_info
  }
  EXPECT_EQ(samples + 3, SamplesIn(served.Text(MetricsFormat::kText)));
  EXPECT_EQ(served.Find("/metrics/rank/2"), std::nullopt);
  EXPECT_EQ(served.Find("/metrics/pid/70"), std::nullopt);
}

TEST(ServedExposition, LeavesOutAFamilyThatOnlyAnotherProcessHas) {
  Snapshot measured = example::At(std::chrono::seconds(12), 755, 2);
  Snapshot not_measured = measured;
  not_measured.rss.reset();
  const DecisionLog decisions;
  const std::vector<PipelineMetrics> pipelines = {{"a", 0, 70, &measured, &decisions, nullptr},
                                                  {"b", 1, 71, &not_measured, &decisions, nullptr}};
  ServedExposition served(Expose({"small", "run", "0"}, {}, pipelines));
  EXPECT_THAT(served.Text(MetricsFormat::kText, {0}), HasSubstr("sluice_process_resident_memory_bytes"));
  EXPECT_THAT(served.Text(MetricsFormat::kText, {1}), Not(HasSubstr("sluice_process_resident_memory_bytes")));
}

}  // namespace
}  // namespace sluice::exporters
