// What handing an item on costs: 4 ops without work, in order, capacity 64, all counters on, against oneTBB's
// parallel_pipeline with 64 tokens. The consumer is the fourth op on both sides. (oneTBB is not the fastest
// peer for this.)
#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include "paired.h"
#include "sluice/base/clock.h"

namespace sluice::bench {
namespace {

constexpr std::uint64_t kItems = 2'000'000;
constexpr int kCapacity = 64;

double OursNs(int workers) {
  runtime::Describe p("noop");
  p.Memory(64_MiB);
  p.Range(kItems).Capacity(kCapacity);
  p.Map("map", [](runtime::Item& item) { ++item.label; }).Workers(workers).Capacity(kCapacity);
  p.Map("map2", [](runtime::Item& item) { ++item.label; }).Capacity(kCapacity).Serial();
  runtime::PipelineOptions options;
  options.shared_segment = true;
  const auto pipeline = BuildOrDie(p, options);
  pipeline->Start();
  const MonoTime start = MonoNow();
  std::uint64_t expected = 0;
  runtime::Item item;
  while (pipeline->Next(item) != runtime::Pipeline::Got::kEnd) {
    if (item.kind != runtime::ItemKind::kRow) continue;
    if (item.index != expected++) GiveUp("items came out of order");
  }
  if (expected != kItems) GiveUp("items are missing");
  return Seconds(MonoNow() - start) * 1e9 / kItems;
}

double TbbNs(int workers) {
  namespace tbb = oneapi::tbb;
  struct Row {
    std::uint64_t index;
    std::uint64_t label;
  };
  tbb::task_arena arena(workers);
  std::uint64_t next = 0;
  std::uint64_t expected = 0;
  const MonoTime start = MonoNow();
  arena.execute([&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(
        kCapacity, tbb::make_filter<void, Row>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                     if (next == kItems) control.stop();
                     const Row row{next, next};
                     ++next;
                     return row;
                   }) & tbb::make_filter<Row, Row>(filter_mode::parallel, [](Row row) {
                     ++row.label;
                     return row;
                   }) & tbb::make_filter<Row, Row>(filter_mode::serial_in_order, [](Row row) {
                     ++row.label;
                     return row;
                   }) & tbb::make_filter<Row, void>(filter_mode::serial_in_order, [&](Row row) {
                     if (row.index != expected++) GiveUp("items came out of order from oneTBB");
                   }));
  });
  if (expected != kItems) GiveUp("items are missing");
  return Seconds(MonoNow() - start) * 1e9 / kItems;
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 11);
  LookAround(busy);
  const oneapi::tbb::global_control allow(oneapi::tbb::global_control::max_allowed_parallelism, 4);
  PrintHeader("4 ops without work, capacity 64", "sluice", "oneTBB", "ns per item");
  Spread worst;
  for (int workers : {1, 2, 4}) {
    const Paired measured =
        MeasurePaired([=] { return OursNs(workers); }, [=] { return TbbNs(workers); }, rounds);
    PrintRow(fmt::format("{} worker{}", workers, workers > 1 ? "s" : ""), measured);
    if (measured.Ratio().value > worst.value) worst = measured.Ratio();
  }
  PrintRatio("noop", worst);
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
