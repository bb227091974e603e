// A scenario file of any bytes is read or refused: no exception, no crash, and what is read is valid.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sluice/base/check.h"
#include "sluice/runtime/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = sluice::runtime::ParseScenario(text, "fuzz.toml");
  if (!scenario) {
    SLUICE_CHECK(scenario.error().message.starts_with("fuzz.toml:"));
    return 0;
  }
  SLUICE_CHECK(sluice::runtime::Validate(scenario->pipeline).has_value());
  sluice::runtime::PipelineDescription pipeline = scenario->pipeline;
  const auto set = sluice::runtime::SetKnob(pipeline, text.substr(0, 64));
  const auto bound = sluice::runtime::BoundKnob(pipeline, text.substr(0, 64));
  if (set && bound) SLUICE_CHECK(sluice::runtime::Validate(pipeline).has_value());
  return 0;
}
