// What `sluice top` does with a run whose segment somebody fills with any bytes: a verdict is found, the
// decisions in its ring are read, and table, lines, metrics and report are made, each fit for a terminal.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "input.h"
#include "loop/agent.h"
#include "sluice/autotune/auto_tune.h"
#include "sluice/base/check.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/live_table.h"
#include "sluice/exporters/metrics_text.h"
#include "sluice/exporters/plain_lines.h"
#include "sluice/exporters/run_report.h"
#include "sluice/probes/segment_reader.h"
#include "spoiled_segment.h"

namespace {

using namespace sluice;  // NOLINT

constexpr MonoTime kStart = std::chrono::seconds(1000);
constexpr int kMostLaps = 24, kShowEach = 6;

class SpoiledPlant : public Plant {
 public:
  SpoiledPlant(probes::SegmentReader reader, fuzz::Input& input)
      : reader_(std::move(reader)), input_(input) {}
  Snapshot Sense() override {
    fuzz::Spoiled().Spoil(input_);
    at_ += std::chrono::milliseconds(100 * (1 + input_.UpTo(19)));
    return reader_.Read(at_, at_);
  }
  void Act(const Decision&) override {}
  [[nodiscard]] const probes::SegmentReader& reader() const { return reader_; }

 private:
  probes::SegmentReader reader_;
  fuzz::Input& input_;
  MonoTime at_ = kStart;
};

bool IsPlain(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 0x7f; });
}

void CheckShown(const app::Agent& agent, const exporters::TextStyle& style) {
  const exporters::LiveView view{.scenario = "fuzz",
                                 .mode = "",
                                 .start = kStart,
                                 .previous = agent.Before(std::chrono::seconds(1)),
                                 .now = agent.now(),
                                 .decisions = agent.decisions(),
                                 .verdict = agent.verdict(),
                                 .starved_history = agent.starved_history()};
  for (const std::string& line : exporters::LiveTable(view, style)) SLUICE_CHECK(IsPlain(line));
  SLUICE_CHECK(IsPlain(exporters::ProgressLine(view.previous, view.now, kStart, view.verdict, style)));
  const exporters::PipelineMetrics pipeline{
      .now = &view.now, .decisions = &view.decisions, .verdict = &view.verdict};
  const exporters::Exposition exposed = exporters::Expose({"fuzz", "run", "0"}, {}, {&pipeline, 1});
  SLUICE_CHECK(!exporters::MetricsText(exposed, exporters::MetricsFormat::kText).empty());
  SLUICE_CHECK(exporters::MetricsText(exposed, exporters::MetricsFormat::kOpenMetrics).ends_with("# EOF\n"));
}

void CheckReport(const app::Agent& agent, const exporters::TextStyle& style) {
  exporters::RunReport report;
  report.start = agent.first();
  report.end = agent.now();
  report.first_window = agent.FirstWindow();
  report.last_window = agent.LastWindow();
  report.decisions = agent.decisions();
  report.verdict = agent.verdict();
  SLUICE_CHECK(!exporters::ReportText(report, style).empty() && !exporters::ReportJson(report).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  fuzz::Spoiled().Restore();
  fuzz::Spoiled().Spoil(input);
  auto reader = probes::SegmentReader::Over(fuzz::Spoiled().bytes());
  if (!reader) return 0;
  SpoiledPlant plant(std::move(*reader), input);
  const auto judge = autotune::MakeAutoTune({.advise = true});
  app::Agent agent(plant, judge.get());
  exporters::TextStyle style;
  style.unicode = false;
  for (int lap = 0; !input.empty() && lap < kMostLaps; ++lap) {
    agent.Step();
    for (const probes::LogLine& line : plant.reader().Decisions()) {
      if (auto entry = exporters::ParseDecisionJson(line.text)) agent.log().Put(std::move(*entry));
    }
    if (lap % kShowEach == 0) CheckShown(agent, style);
  }
  CheckShown(agent, style);
  CheckReport(agent, style);
  return 0;
}
