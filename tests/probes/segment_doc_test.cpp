// docs/telemetry-segment.md against the compiler: readers in other languages have nothing else.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/span_layout.h"

namespace sluice::probes {
namespace {

// A row of a table, "Header.magic 0 8", or its heading, "Header 512".
#define ENTRY(entry) (#entry " " + std::to_string(sizeof(segment::entry)))
#define FIELD(entry, field)                                                        \
  (#entry "." #field " " + std::to_string(offsetof(segment::entry, field)) + " " + \
   std::to_string(sizeof(segment::entry::field)))

// NOLINTNEXTLINE(readability-function-size): it is one table
std::vector<std::string> RowsByTheCompiler() {
  // clang-format off
  return {
    ENTRY(Header),
    FIELD(Header, magic),
    FIELD(Header, major),
    FIELD(Header, minor),
    FIELD(Header, total_size),
    FIELD(Header, pid),
    FIELD(Header, uid),
    FIELD(Header, start_ticks),
    FIELD(Header, run_id),
    FIELD(Header, program),
    FIELD(Header, rank),
    FIELD(Header, world_size),
    FIELD(Header, local_rank),
    FIELD(Header, local_world_size),
    FIELD(Header, clock_mono),
    FIELD(Header, clock_wall),
    FIELD(Header, ops),
    FIELD(Header, connectors),
    FIELD(Header, workers),
    FIELD(Header, knobs),
    FIELD(Header, consumer),
    FIELD(Header, decisions),
    FIELD(Header, events),
    FIELD(Header, ready),
    FIELD(Header, state),
    FIELD(Header, heartbeat),
    FIELD(Header, epoch),
    FIELD(Header, buffered_bytes),
    FIELD(Header, buffered_peak),
    FIELD(Header, memory_limit),
    FIELD(Header, cores_milli),
    FIELD(Header, knob_futex),
    FIELD(Header, workers_used),
    FIELD(Header, epochs_ended),
    FIELD(Header, epoch_ns),
    FIELD(Header, epoch_first_ns),
    FIELD(Header, epoch_items),
    FIELD(Header, epoch_workers),
    FIELD(Header, epoch_capacity),
    FIELD(Header, epoch_length),
    FIELD(Header, start_ns),
    FIELD(Header, start_cpu_ns),
    FIELD(Header, starting_ns),
    FIELD(Header, starting_from),
    FIELD(Header, trace_until),
    FIELD(Header, steps),
    FIELD(Header, pace_milli),
    ENTRY(OpEntry),
    FIELD(OpEntry, name),
    FIELD(OpEntry, kind),
    FIELD(OpEntry, flags),
    FIELD(OpEntry, rows_per_item),
    FIELD(OpEntry, failed),
    ENTRY(ConnectorEntry),
    FIELD(ConnectorEntry, name),
    FIELD(ConnectorEntry, from),
    FIELD(ConnectorEntry, to),
    FIELD(ConnectorEntry, lock),
    FIELD(ConnectorEntry, pushed),
    FIELD(ConnectorEntry, popped),
    FIELD(ConnectorEntry, pushed_bytes),
    FIELD(ConnectorEntry, popped_bytes),
    FIELD(ConnectorEntry, depth_integral),
    FIELD(ConnectorEntry, empty_ns),
    FIELD(ConnectorEntry, full_ns),
    FIELD(ConnectorEntry, high_water),
    FIELD(ConnectorEntry, depth),
    FIELD(ConnectorEntry, changed),
    FIELD(ConnectorEntry, full_since),
    FIELD(ConnectorEntry, capacity),
    ENTRY(WorkerSlot),
    FIELD(WorkerSlot, state),
    FIELD(WorkerSlot, op),
    FIELD(WorkerSlot, tid),
    FIELD(WorkerSlot, pid),
    FIELD(WorkerSlot, since),
    FIELD(WorkerSlot, items),
    FIELD(WorkerSlot, bytes),
    FIELD(WorkerSlot, busy_ns),
    FIELD(WorkerSlot, starved_ns),
    FIELD(WorkerSlot, backed_up_ns),
    FIELD(WorkerSlot, helped_ns),
    FIELD(WorkerSlot, thread_helping_ns),
    FIELD(WorkerSlot, latency),
    ENTRY(ConsumerEntry),
    FIELD(ConsumerEntry, items),
    FIELD(ConsumerEntry, rows),
    FIELD(ConsumerEntry, busy_ns),
    FIELD(ConsumerEntry, starved_ns),
    FIELD(ConsumerEntry, state),
    FIELD(ConsumerEntry, tid),
    FIELD(ConsumerEntry, since),
    FIELD(ConsumerEntry, helping_ns),
    ENTRY(StepEntry),
    FIELD(StepEntry, step),
    FIELD(StepEntry, wait),
    ENTRY(KnobCell),
    FIELD(KnobCell, name),
    FIELD(KnobCell, kind),
    FIELD(KnobCell, target),
    FIELD(KnobCell, min),
    FIELD(KnobCell, max),
    FIELD(KnobCell, takes_effect),
    FIELD(KnobCell, holder),
    FIELD(KnobCell, requested),
    FIELD(KnobCell, applied),
    FIELD(KnobCell, generation),
    FIELD(KnobCell, held),
    FIELD(KnobCell, pages),
    FIELD(KnobCell, pages_at_home),
    ENTRY(RingRecord),
    FIELD(RingRecord, sequence),
    FIELD(RingRecord, at),
    FIELD(RingRecord, text),
    ENTRY(SpansHeader),
    FIELD(SpansHeader, magic),
    FIELD(SpansHeader, major),
    FIELD(SpansHeader, ring_count),
    FIELD(SpansHeader, ring_spans),
    FIELD(SpansHeader, ring_stride),
    FIELD(SpansHeader, rings_offset),
    FIELD(SpansHeader, total_size),
    FIELD(SpansHeader, rings_used),
    FIELD(SpansHeader, dropped),
    FIELD(SpansHeader, ring_of),
    ENTRY(SpanRing),
    FIELD(SpanRing, written),
    ENTRY(SpanEntry),
    FIELD(SpanEntry, begin),
    FIELD(SpanEntry, length),
    FIELD(SpanEntry, in),
    FIELD(SpanEntry, out),
    FIELD(SpanEntry, counts),
    FIELD(SpanEntry, runs),
    FIELD(SpanEntry, state),
  };
  // clang-format on
}

std::string Doc() {
  std::ifstream file(SLUICE_SOURCE_DIR "/docs/telemetry-segment.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
  return cells;
}

std::string WithoutMarks(const std::string& text) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != ' ' && c != '`'; });
  return plain;
}

// From "### Ops: `OpEntry`, 80 bytes".
std::string Heading(const std::string& line, std::string& entry) {
  const auto name = line.find('`'), comma = line.find("`, ");
  if (comma == std::string::npos) return "";
  entry = line.substr(name + 1, comma - name - 1);
  return entry + " " + line.substr(comma + 3, line.find(' ', comma + 3) - comma - 3);
}

std::vector<std::string> RowsOfTheDoc() {
  std::vector<std::string> rows;
  std::string entry, line;
  std::istringstream doc(Doc());
  while (std::getline(doc, line)) {
    const auto cells = Cells(line);
    if (line.starts_with("### ")) rows.push_back(Heading(line, entry));
    if (!line.starts_with("| ") || cells.size() < 5 || cells[3].find('`') == std::string::npos) continue;
    rows.push_back(entry + "." + WithoutMarks(cells[3]) + " " + WithoutMarks(cells[1]) + " " +
                   WithoutMarks(cells[2]));
  }
  return rows;
}

std::string PythonExample() {
  const std::string doc = Doc(), begin = "```python\n";
  const auto start = doc.find(begin) + begin.size();
  return doc.substr(start, doc.find("```", start) - start);
}

std::string OutputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  for (std::array<char, 256> part; fgets(part.data(), part.size(), pipe.get()) != nullptr;)
    output += part.data();
  return output;
}

TEST(SegmentDoc, ItsTablesAreWhatTheCompilerDoes) {
  EXPECT_EQ(RowsOfTheDoc(), RowsByTheCompiler());
}

TEST(SegmentDoc, ItsPythonExampleReadsALiveSegment) {
  if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no Python here";
  const TempFolder temp, scripts;
  SegmentWriter writer(SegmentIn(temp.path() + "/sluice"), SmallGraph(), SmallKnobs(), Budget{});
  for (int i = 0; i < 2; ++i) {
    auto& slot = writer.AddWorker(OpId{1});
    slot.items = 21;
    slot.busy_ns = 750'000'000;
  }
  std::ofstream(scripts.path() + "/example.py") << PythonExample();
  EXPECT_EQ(OutputOf("/usr/bin/python3 " + scripts.path() + "/example.py " + writer.path()),
            "read 0 0.000 s busy\ndecode 42 1.500 s busy\nbatch 0 0.000 s busy\n");
}

}  // namespace
}  // namespace sluice::probes
