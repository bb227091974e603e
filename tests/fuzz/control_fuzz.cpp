// Requests to the control socket, a line each: a method, a path, whether the lease comes along, and a body,
// of any bytes. Each gets an answer that is a JSON object, and says why where it is refused; what reaches the
// plant lies within the knobs' ranges, and without the lease nothing does.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/steered_run.h"
#include "input.h"
#include "sluice/base/check.h"

namespace {

using namespace sluice;  // NOLINT

void Check(const exporters::ControlAnswer& answer) {
  if (answer.stream) return SLUICE_CHECK(*answer.stream == 0);
  const auto json = nlohmann::json::parse(answer.json, nullptr, false);
  SLUICE_CHECK(json.is_object());
  SLUICE_CHECK((answer.status == 200) != json.contains("error"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  app::SteeredRun run;
  const auto ask = [&](const exporters::ControlRequest& request) {
    return run.steering.Handle(request, app::kRunStart);
  };
  const auto granted = nlohmann::json::parse(ask({1, "POST", "/v1/lease", "", R"({"name": "fuzz"})"}).json);
  fuzz::Input input(data, size);
  while (!input.empty()) {
    exporters::ControlRequest request{
        2, std::string(input.Until(' ')), std::string(input.Until(' ')), {}, {}};
    const bool with_lease = input.Until(' ') == "lease";
    if (with_lease) request.lease = granted["lease"];
    request.body = input.Until('\n');
    const std::size_t acted = run.plant.acted.size();
    const std::size_t holders = run.holders.size();
    Check(ask(request));
    if (!with_lease) SLUICE_CHECK(run.plant.acted.size() == acted && run.holders.size() == holders);
  }
  for (const Decision& decision : run.plant.acted) {
    for (const KnobChange& change : decision.changes) {
      const Knob& knob = run.agent.now().knobs[0];
      SLUICE_CHECK(change.knob == knob.id && change.to >= knob.min && change.to <= knob.max);
    }
  }
  return 0;
}
