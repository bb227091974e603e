// The part of a recorded run in which nothing was changed any more, and what it was like. Immutable
// functions.
#pragma once
#include "sluice/base/error.h"
#include "sluice/exporters/session_compare.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::exporters {

// `in_batches`: what is counted in it, rows or the consumer's batches.
[[nodiscard]] Result<SettledPart> MeasureSettled(const SessionReader& session, std::size_t number,
                                                 bool in_batches);
// Its batches' size is not known, so it cannot be counted in rows.
[[nodiscard]] bool CountedInBatches(const RecordedPipeline& pipeline);

// Of means with normal errors, by the quantile of Student's t with the degrees of freedom of the shorter one.
// nullopt: one of the means is 0.
[[nodiscard]] std::optional<RateRatio> RatioOf(const SettledRate& a, const SettledRate& b);

}  // namespace sluice::exporters
