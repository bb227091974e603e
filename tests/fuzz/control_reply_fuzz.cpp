// What a control socket answers, of any bytes, a line each: whoever asks takes it whole or says why not, and
// what is shown afterwards is of the kinds that it may be.
#include <cstddef>
#include <cstdint>
#include <string>

#include "input.h"
#include "sluice/base/check.h"
#include "steer/steering_client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;  // NOLINT
  (void)app::ReadReply({reinterpret_cast<const char*>(data), size});
  fuzz::Input input(data, size);
  const auto answer = [&](const std::string&, const app::ControlCall&) -> Result<app::ControlReply> {
    const std::string status(input.Until(' '));
    return app::ControlReply{status == "423" ? 423 : 200, std::string(input.Until('\n'))};
  };
  app::SteeringClient client({[] { return std::vector<std::string>{"1.control"}; }, answer}, {7, "train"},
                             "fuzz");
  for (int ask = 0; ask <= static_cast<int>(ui::Ask::kRedo) && !input.empty(); ++ask) {
    client.Look();
    client.Do({static_cast<ui::Ask>(ask), {{"decode.workers", 4}}});
    const ui::SteeringSeen& seen = client.seen();
    SLUICE_CHECK(seen.open || !seen.closed.empty());
    SLUICE_CHECK(!seen.refused || !seen.said.empty());
  }
  client.Leave();
  return 0;
}
