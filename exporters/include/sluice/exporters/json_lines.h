// A run as lines of JSON while it goes on, as docs/jsonl.md describes them. Immutable functions: values in,
// one line with its line break out.
#pragma once
#include <cstdint>
#include <string>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/session_recorder.h"

namespace sluice::exporters {

inline constexpr int kJsonLinesVersion = 1;

// The first line.
[[nodiscard]] std::string JsonRunLine(const SessionFacts& facts);
// Before anything else of that pipeline.
[[nodiscard]] std::string JsonPipelineLine(std::uint32_t number, const SessionPipeline& pipeline,
                                           const Snapshot& first);
// Rates and shares are of the time between the two.
[[nodiscard]] std::string JsonSnapshotLine(std::uint32_t number, const Snapshot& from, const Snapshot& to,
                                           const Verdict& verdict);
// When it is made, and again when its fate is known.
[[nodiscard]] std::string JsonDecisionLine(std::uint32_t number, const LoggedDecision& entry,
                                           const Snapshot& now);
[[nodiscard]] std::string JsonEventLine(std::uint32_t number, MonoTime at, const Snapshot& now,
                                        const std::string& text);
// The last line, unless the process is killed.
[[nodiscard]] std::string JsonEndLine(Nanos wall, const std::string& outcome);

}  // namespace sluice::exporters
