#include "autotune/tuning.h"

#include <fmt/format.h>

namespace sluice::autotune::testing {

std::string Tuning::Trace() const {
  std::string text;
  for (const Decision& d : decisions_) {
    for (const Outcome& o : d.outcomes) {
      constexpr const char* kFates[] = {"trial", "kept", "rolled back", "advised", "rejected"};
      text += fmt::format("{:.1f} s  #{} {} at {:.1f}/s\n", Seconds(d.at), o.decision,
                          kFates[static_cast<int>(o.fate)], o.measured ? o.measured->per_second : 0.0);
    }
    if (d.id != 0) text += fmt::format("{:.1f} s  #{} {}\n", Seconds(d.at), d.id, d.because);
  }
  return text;
}

double RateUntouched(FakePlant plant, double seconds) {
  while (plant.now() < 2) (void)plant.Sense();
  const double from = plant.now();
  const std::uint64_t before = plant.consumed();
  while (plant.now() < from + seconds) (void)plant.Sense();
  return static_cast<double>(plant.consumed() - before) / (plant.now() - from);
}

}  // namespace sluice::autotune::testing
