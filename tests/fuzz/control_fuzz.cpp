// Requests to the control socket, a line each: a method, a path, whether the lease comes along, and a body,
// of any bytes. Each gets an answer that is a JSON object, and says why where it is refused; what reaches the
// plant lies within the knobs' ranges, and without the lease nothing does.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/scripted.h"
#include "control/steering.h"
#include "input.h"
#include "sluice/base/check.h"

namespace {

using namespace sluice;  // NOLINT

// One pipeline under control, and what has come of it.
struct Bench {
  Bench() {
    steering.Add({.name = "fuzz",
                  .rank = {},
                  .pid = 1,
                  .run_start = app::kRunStart,
                  .agent = &agent,
                  .knobs = [this]() -> const std::vector<Knob>& { return agent.now().knobs; },
                  .set_holder = [this](KnobId, Holder) { return ++holders > 0; },
                  .over = [] { return false; }});
  }
  [[nodiscard]] exporters::ControlAnswer Ask(const exporters::ControlRequest& request) {
    return steering.Handle(request, app::kRunStart);
  }

  app::ScriptedPlant plant;
  app::ScriptedController controller;
  app::Agent agent{plant, &controller};
  app::Steering steering{{.verb = "fuzz"}, app::TuneMode::kTune};
  int holders = 0;
};

void Check(const exporters::ControlAnswer& answer) {
  if (answer.stream) return SLUICE_CHECK(*answer.stream == 0);
  const auto json = nlohmann::json::parse(answer.json, nullptr, false);
  SLUICE_CHECK(json.is_object());
  SLUICE_CHECK((answer.status == 200) != json.contains("error"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bench bench;
  const auto granted =
      nlohmann::json::parse(bench.Ask({1, "POST", "/v1/lease", "", R"({"name": "fuzz"})"}).json);
  fuzz::Input input(data, size);
  while (!input.empty()) {
    exporters::ControlRequest request{
        2, std::string(input.Until(' ')), std::string(input.Until(' ')), {}, {}};
    const bool with_lease = input.Until(' ') == "lease";
    if (with_lease) request.lease = granted["lease"];
    request.body = input.Until('\n');
    const std::size_t acted = bench.plant.acted.size();
    const int holders = bench.holders;
    Check(bench.Ask(request));
    if (!with_lease) SLUICE_CHECK(bench.plant.acted.size() == acted && bench.holders == holders);
  }
  for (const Decision& decision : bench.plant.acted) {
    for (const KnobChange& change : decision.changes) {
      const Knob& knob = bench.agent.now().knobs[0];
      SLUICE_CHECK(change.knob == knob.id && change.to >= knob.min && change.to <= knob.max);
    }
  }
  return 0;
}
