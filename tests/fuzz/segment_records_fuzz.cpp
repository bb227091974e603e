// A segment that is one, whose entries somebody else fills with any bytes while we look: knob cells, op and
// connector entries, worker slots, the consumer, the header's counters, and the records of both rings.
// Readings are possible ones and do not fall, text is fit for a terminal, and a knob is asked for nothing
// beyond its bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "input.h"
#include "probes/segment_fixture.h"
#include "segment/utf8.h"
#include "sluice/base/check.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/probes/sampler.h"
#include "sluice/probes/segment_reader.h"
#include "snapshot_checks.h"
#include "spoiled_segment.h"

namespace {

using namespace sluice;  // NOLINT

constexpr MonoTime kNow = std::chrono::seconds(1000);

void CheckLines(const std::vector<probes::LogLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    SLUICE_CHECK(probes::PrintableUtf8(lines[i].text) == lines[i].text);
    SLUICE_CHECK(i == 0 || lines[i].number > lines[i - 1].number);
    static_cast<void>(exporters::ParseDecisionJson(lines[i].text));
  }
}

void CheckRest(const probes::SegmentReader& reader) {
  CheckLines(reader.Decisions());
  CheckLines(reader.Events());
  if (const auto epoch = reader.LastEpoch())
    SLUICE_CHECK(epoch->number > 0 && epoch->first >= Nanos(0) && epoch->first <= epoch->took);
  const probes::EpochOutlook outlook = reader.Outlook();
  SLUICE_CHECK(std::min(outlook.start, outlook.start_cpu) >= Nanos(0));
  SLUICE_CHECK(reader.Heartbeat() >= MonoTime{0} && reader.identity().started >= MonoTime{0});
  for (const probes::WorkerThread& thread : reader.Threads(kNow))
    SLUICE_CHECK(std::min({thread.busy, thread.helped, thread.helping}) >= Nanos(0));
  for (const WorkerReading& worker : reader.Workers(kNow))
    SLUICE_CHECK(std::min({worker.busy, worker.starved, worker.backed_up}) >= Nanos(0) && worker.number >= 0);
}

void CheckRequests(std::span<std::byte> bytes, const std::vector<Knob>& knobs, std::int64_t value) {
  auto requester = probes::KnobRequester::Over(bytes);
  SLUICE_CHECK(requester.has_value());
  for (const Knob& knob : knobs) {
    const auto first = std::ranges::find(knobs, knob.id, &Knob::id);
    const bool within = value >= first->min && value <= first->max;
    SLUICE_CHECK(requester->Request(knob.id, value) == within);
    SLUICE_CHECK(requester->SetHolder(knob.id, Holder::kUser));
  }
  requester->LogDecision(kNow, "{\"id\": 1}");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::SpoiledSegment& segment = fuzz::Spoiled();
  fuzz::Input input(data, size);
  segment.Restore();
  const auto value = input.Number<std::int64_t>();
  segment.Spoil(input);
  auto reader = probes::SegmentReader::Over(segment.bytes());
  if (!reader) {
    SLUICE_CHECK(reader.error().message.starts_with("segment in memory: "));
    return 0;
  }
  probes::Sampler sampler(std::move(*reader), {.root = "/nowhere", .cores = {}, .memory = {}});
  Snapshot before = sampler.Sample(kNow, kNow);
  fuzz::CheckSnapshot(before);
  while (!input.empty()) {
    segment.Spoil(input);
    const Snapshot now = sampler.Sample(kNow, kNow);
    fuzz::CheckSnapshot(now);
    fuzz::CheckLater(now, before);
    before = now;
  }
  CheckRest(sampler.reader());
  const auto again = probes::SegmentReader::Over(segment.bytes());
  if (again) CheckRequests(segment.bytes(), again->Read(kNow, kNow).knobs, value);
  return 0;
}
