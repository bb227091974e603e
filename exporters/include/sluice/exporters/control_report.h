// ControlReport: what the control socket tells of an agent and of each of its pipelines, as values, and their
// JSON (docs/control-api.md). Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/forecast.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {

inline constexpr int kControlVersion = 1;

struct LeaseHolder {
  std::string name{};
  Nanos left{0};
};

// Of a pipeline, what is said of it in a list as well.
struct ControlledName {
  std::size_t number = 0;
  std::string name{};
  std::optional<int> rank{};
  int pid = 0;
  bool over = false;
};

struct ControlledAgent {
  std::string verb{}, run_id{}, version{};
  int pid = 0;
  std::optional<LeaseHolder> lease{};
  std::vector<ControlledName> pipelines{};
};

// Between which values users let the controller set a knob.
struct KnobBound {
  KnobId knob{};
  std::int64_t min = 1, max = 1;
  friend bool operator==(const KnobBound&, const KnobBound&) = default;
};

// Points to what the caller keeps.
struct ControlledPipeline {
  ControlledName name{};
  std::string tuning{};   // "tuning"
  std::string held_by{};  // empty: nobody
  std::optional<LeaseHolder> lease{};
  std::vector<KnobBound> bounds{};
  MonoTime run_start{0};
  const Snapshot *from = nullptr, *to = nullptr;  // rates are of the time between them
  const Verdict* verdict = nullptr;
  const DecisionLog* decisions = nullptr;
};

// Objects with a line break at their end.
[[nodiscard]] std::string VersionsJson();
[[nodiscard]] std::string ControlledAgentJson(const ControlledAgent& agent);
[[nodiscard]] std::string ControlledPipelineJson(const ControlledPipeline& pipeline);
// In one line, for a stream.
[[nodiscard]] std::string ControlledPipelineLine(const ControlledPipeline& pipeline);
[[nodiscard]] std::string GrantedLeaseJson(const std::string& token, const LeaseHolder& holder);
// The decision with this id, and all knobs.
[[nodiscard]] std::string ChangedJson(const ControlledPipeline& pipeline, std::uint64_t decision);
[[nodiscard]] std::string ForecastJson(const Forecast& forecast, const Snapshot& now);
// All knobs.
[[nodiscard]] std::string KnobsJson(const ControlledPipeline& pipeline);

// `holder`: of the lease, where that is why.
[[nodiscard]] std::string RefusalJson(const std::string& why,
                                      const std::optional<LeaseHolder>& holder = std::nullopt);
// There is no such version.
[[nodiscard]] std::string OtherVersionJson();

}  // namespace sluice::exporters
