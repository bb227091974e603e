// What measuring costs: 10 us of work per item, counters on over counters off, time per item.
#include <atomic>

#include "paired.h"

namespace sluice::bench {
namespace {

constexpr std::uint64_t kItems = 20'000;

// A fixed amount of arithmetic, the same on both sides; about 10 us.
void Work(runtime::Item& item) {
  auto x = static_cast<std::uint64_t>(item.label) | 1;
  for (int i = 0; i < 8'000; ++i) x = x * 6364136223846793005 + 1442695040888963407;
  item.label = static_cast<std::int64_t>(x);
}

double SecondsWith(bool measure) {
  runtime::Describe p("probes");
  p.Memory(64_MiB);
  p.Range(kItems).Capacity(64);
  p.Map("work", Work).Capacity(64);
  runtime::PipelineOptions options;
  options.measure = measure;
  const auto pipeline = BuildOrDie(p, options);
  pipeline->Start();
  return Drain(*pipeline, kItems) * 1e9 / kItems;
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 25);
  LookAround(busy);
  PrintHeader("10 us of work per item", "counters on", "counters off", "ns per item");
  const Paired measured =
      MeasurePaired([] { return SecondsWith(true); }, [] { return SecondsWith(false); }, rounds);
  PrintRow("1 worker", measured);
  PrintRatio("probes", measured.Ratio());
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
