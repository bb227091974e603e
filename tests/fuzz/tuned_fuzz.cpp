// A tuned.toml of any bytes is read or refused: no exception, no crash. What is read fits into the program,
// and is the same when it has been written and read again.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "input.h"
#include "loaders/tuned_file.h"
#include "sluice/base/check.h"

namespace {

using namespace sluice;  // NOLINT

// The rate is written with three decimals.
bool Same(const app::TunedLoader& a, const app::TunedLoader& b) {
  const auto same_knob = [](const app::TunedKnob& x, const app::TunedKnob& y) {
    return x.name == y.name && x.value == y.value;
  };
  const bool same_rate = std::abs(a.rate - b.rate) <= 1e-3 || a.rate == b.rate;
  return a.program == b.program && a.rank == b.rank && same_rate &&
         std::ranges::equal(a.knobs, b.knobs, same_knob);
}

void CheckLoader(const app::TunedLoader& loader, const app::TunedFile& file) {
  SLUICE_CHECK(loader.rate >= 0 && loader.rate <= 1e9);
  SLUICE_CHECK(!loader.rank || *loader.rank >= 0);
  for (const app::TunedKnob& knob : loader.knobs) SLUICE_CHECK(knob.value >= 0 && knob.value <= 1'000'000);
  const app::TunedLoader* found = file.For(loader.program, loader.rank);
  SLUICE_CHECK(found != nullptr && found->program == loader.program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  const auto file = app::ParseTuned(text, "fuzz.toml");
  if (!file) {
    SLUICE_CHECK(file.error().message.starts_with("fuzz.toml:"));
    return 0;
  }
  SLUICE_CHECK(file->cores >= 0 && file->cores <= 1e9);
  for (const app::TunedLoader& loader : file->loaders) CheckLoader(loader, *file);
  static_cast<void>(app::WhyNotHere(*file, "Some CPU", 8));
  const auto again = app::ParseTuned(app::TunedToml(*file), "again.toml");
  SLUICE_CHECK(again.has_value());
  SLUICE_CHECK(again->cpu == file->cpu && again->cores == file->cores);
  SLUICE_CHECK(std::ranges::equal(again->loaders, file->loaders, Same));
  return 0;
}
