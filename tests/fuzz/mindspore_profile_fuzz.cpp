// A profile of MindSpore's of any bytes is read or refused: no exception, no crash. What is read are
// snapshots as of a run: time and totals do not fall, shares are shares, and a session can be made of them.
// The input is up to four files, parted by lines `=== pipeline`, `=== cpu`, `=== device`, `=== iterator`.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input.h"
#include "sluice/autotune/depth_verdict.h"
#include "sluice/base/check.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/mindspore_profile.h"
#include "sluice/exporters/whole_session.h"

namespace {

using namespace sluice;  // NOLINT

constexpr std::string_view kBorder = "=== ";

exporters::MindSporeFiles FilesIn(std::string_view text) {
  exporters::MindSporeFiles files;
  while (text.starts_with(kBorder)) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::string_view name = text.substr(kBorder.size(), line - kBorder.size());
    text.remove_prefix(std::min(line + 1, text.size()));
    const std::size_t end = text.find("\n=== ");
    const std::size_t length = end == text.npos ? text.size() : end + 1;
    exporters::ProfileFile file{"fuzz", std::string(text.substr(0, length))};
    text.remove_prefix(length);
    if (name == "pipeline")
      files.pipeline = std::move(file);
    else if (name == "cpu")
      files.cpu = std::move(file);
    else if (name == "device")
      files.device_queue = std::move(file);
    else if (name == "iterator")
      files.iterator = std::move(file);
  }
  return files;
}

void CheckShare(const std::optional<Fraction>& share) {
  SLUICE_CHECK(!share || (share->value >= 0 && share->value <= 1));
}

void CheckStep(const Snapshot& from, const Snapshot& to) {
  SLUICE_CHECK(to.at > from.at);
  SLUICE_CHECK(to.graph == from.graph && to.ops.size() == to.graph->ops.size());
  SLUICE_CHECK(to.connectors.size() == to.graph->connectors.size() && !to.connectors.empty());
  SLUICE_CHECK(to.consumer.items >= from.consumer.items && to.process_cpu >= from.process_cpu);
  SLUICE_CHECK(to.consumer.busy >= from.consumer.busy && to.consumer.starved >= from.consumer.starved);
  SLUICE_CHECK(to.consumer.busy + to.consumer.starved <= to.at - MonoTime(0));
  for (std::size_t i = 0; i < to.ops.size(); ++i) {
    SLUICE_CHECK(to.ops[i].on_cpu.has_value() == from.ops[i].on_cpu.has_value());
    SLUICE_CHECK(!to.ops[i].on_cpu || *to.ops[i].on_cpu >= *from.ops[i].on_cpu);
  }
  for (std::size_t c = 0; c < to.connectors.size(); ++c) {
    SLUICE_CHECK(to.connectors[c].high_water >= to.connectors[c].depth);
    const auto seen = exporters::MeasureConnector(from, to, c);
    SLUICE_CHECK(std::isfinite(*seen.mean_depth));
    CheckShare(seen.empty);
    CheckShare(seen.full);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = FilesIn(fuzz::Text(data, size));
  auto profile = exporters::ReadMindSporeProfile(files, size % 2 == 0 ? std::optional(32U) : std::nullopt);
  if (!profile) {
    SLUICE_CHECK(profile.error().message.find("rank 0") != std::string::npos);
    return 0;
  }
  const auto& snapshots = profile->snapshots;
  SLUICE_CHECK(snapshots.size() >= 2);
  for (std::size_t i = 1; i < snapshots.size(); ++i) CheckStep(snapshots[i - 1], snapshots[i]);
  Verdict verdict = autotune::DepthVerdict(snapshots.front(), snapshots.back(), profile->samples);
  SLUICE_CHECK(verdict.confidence.value >= 0 && verdict.confidence.value <= 1 && !verdict.sentence.empty());
  exporters::WholePipeline pipeline{.info = {.name = "minddata_0"}};
  pipeline.states.push_back({snapshots.front(), {}});
  pipeline.states.push_back({snapshots.back(), std::move(verdict)});
  for (std::string& note : profile->notes) pipeline.events.push_back({snapshots.front().at, std::move(note)});
  for (const char c : exporters::WholeSessionText({pipeline}, {.unicode = false}))
    SLUICE_CHECK(c == '\n' || (c >= ' ' && c < 0x7f));
  return 0;
}
