// From counters of the layout to readings. Pure: the entries are private copies, time is passed in.
//
// Counters of time hold closed intervals only; the one still open is added up to `now`. Totals saturate:
// a segment with absurd numbers gives absurd readings, never an overflow.
#pragma once
#include <span>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {

// `now` less `since`; 0 when no interval is open or `since` is later.
[[nodiscard]] Nanos Elapsed(MonoTime now, std::int64_t since);

// All but its number.
[[nodiscard]] WorkerReading ReadWorker(const segment::WorkerSlot& slot, MonoTime now);
// Adds what this worker did to the reading of its op.
void AddWorker(OpReading& op, const segment::WorkerSlot& slot, MonoTime now);
[[nodiscard]] WorkerThread ReadWorkerThread(const segment::WorkerSlot& slot, MonoTime now);
[[nodiscard]] ConnectorReading ReadConnector(const segment::ConnectorEntry& entry, MonoTime now);
[[nodiscard]] ConsumerReading ReadConsumer(const segment::ConsumerEntry& entry, MonoTime now);
void ReadSteps(const segment::StepEntry& entry, ConsumerReading& consumer);
// Fills in what changes: value, requested, holder, generation.
[[nodiscard]] EndedEpoch ReadEpoch(const segment::Header& header);
// Of what the consumer has waited until now: for the first items of epochs.
[[nodiscard]] Nanos ReadStarting(const segment::Header& header, Nanos starved);
[[nodiscard]] EpochOutlook ReadOutlook(const segment::Header& header);
void ReadKnob(Knob& knob, const segment::KnobCell& cell);
void ReadPages(PlaceReading& place, const segment::KnobCell& cell);

// Raises times of `now` that are below `before`: between two stores of a writer an interval may be
// neither open nor closed.
void NeverFall(Snapshot& now, const Snapshot& before);
void NeverFall(std::vector<WorkerReading>& now, const std::vector<WorkerReading>& before);

}  // namespace sluice::probes
