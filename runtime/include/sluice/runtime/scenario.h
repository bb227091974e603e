// A scenario file: a pipeline, its consumer and its budget in TOML. scenarios/README.md documents every
// key with type, unit and default. Unknown keys, wrong types and impossible values are refused with file,
// line and, where one is near, the key that was meant.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/runtime/description.h"

namespace sluice::runtime {

// Who takes the batches. step.mean == 0: as fast as possible.
struct ConsumerSpec {
  Distribution step;
};

struct Scenario {
  PipelineDescription pipeline;
  ConsumerSpec consumer;
  std::optional<double> cores;  // core budget; nullopt: what the machine gives
  std::string summary;          // one sentence for people
};

// Also validates (see Validate). Pure; `file` is for messages only (fuzzed). A relative path of a source
// is kept as it is: relative to the current directory, not to the file.
[[nodiscard]] Result<Scenario> ParseScenario(std::string_view toml, std::string_view file);
[[nodiscard]] Result<Scenario> LoadScenario(const std::string& path);

// "decode.workers=4", "decode.capacity=16" (--set); "decode.workers" (--pin); "decode.workers=1..8"
// (--bound; a value outside moves to the nearest bound). Errors name the nearest op or knob.
[[nodiscard]] Result<void> SetKnob(PipelineDescription& pipeline, std::string_view assignment);
[[nodiscard]] Result<void> PinKnob(PipelineDescription& pipeline, std::string_view knob);
[[nodiscard]] Result<void> BoundKnob(PipelineDescription& pipeline, std::string_view bound);

// Everything that is wrong with the description as a whole (no source, two ops of one name, workers out
// of bounds, a serial op with two workers, an impossible crop, ...); errors name op and field.
[[nodiscard]] Result<void> Validate(const PipelineDescription& pipeline);

}  // namespace sluice::runtime
