#include "paired.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice {
namespace {

std::string Range(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{:10.1f} ({:.1f}..{:.1f})", Median(values), low, high);
}

}  // namespace

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n == 0 ? 0 : n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double Paired::MedianRatio() const {
  return Median(ratios);
}

Paired MeasurePaired(const Side& a, const Side& b, int rounds) {
  Paired measured;
  a();
  b();
  for (int round = 0; round < rounds; ++round) {
    measured.a.push_back(a());
    measured.b.push_back(b());
    measured.ratios.push_back(measured.a.back() / measured.b.back());
  }
  return measured;
}

void PrintHeader(const std::string& what, const std::string& a, const std::string& b,
                 const std::string& unit) {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  fmt::print("{}; {} CPUs, {}\n", what, std::thread::hardware_concurrency(), date);
  fmt::print("{:<16} {:>28} {:>28} {:>20}\n", unit, a, b, "ratio, median");
}

void PrintRow(const std::string& name, const Paired& measured) {
  const auto [low, high] = std::ranges::minmax(measured.ratios);
  fmt::print("{:<16} {:>28} {:>28}   {:.3f} ({:.3f}..{:.3f})\n", name, Range(measured.a), Range(measured.b),
             measured.MedianRatio(), low, high);
}

void PrintRatio(const std::string& name, double value) {
  fmt::print("RATIO {} {:.3f}\n", name, value);
}

double Drain(Pipeline& pipeline, std::uint64_t items) {
  const MonoTime start = MonoNow();
  Item item;
  for (std::uint64_t taken = 0; taken < items;) {
    const auto got = pipeline.Next(item);
    if (got == Pipeline::Got::kEnd) break;
    if (got == Pipeline::Got::kError) {
      fmt::print(stderr, "{}\n", item.error->message);
      std::exit(1);
    }
    taken += got == Pipeline::Got::kItem;
  }
  return Seconds(MonoNow() - start);
}

std::unique_ptr<Pipeline> BuildOrDie(const PipelineDescription& description, const PipelineOptions& options) {
  auto pipeline = Pipeline::Build(description, options);
  if (!pipeline) {
    fmt::print(stderr, "{}\n", pipeline.error().message);
    std::exit(1);
  }
  return std::move(*pipeline);
}

int RoundsFrom(int argc, char** argv, int rounds) {
  return argc > 1 ? std::max(1, std::atoi(argv[1])) : rounds;
}

}  // namespace sluice
