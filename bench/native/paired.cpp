#include "paired.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice::bench {
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

Spread SpreadOf(const std::vector<double>& rounds) {
  const auto [low, high] = std::ranges::minmax(rounds);
  return {Median(rounds), low, high, rounds.size()};
}

std::string Text(const Spread& spread) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f}, {} round{})", spread.value, spread.low, spread.high,
                     spread.rounds, spread.rounds == 1 ? "" : "s");
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
  fmt::print("{:<16} {:>28} {:>28}   {}\n", name, Range(measured.a), Range(measured.b),
             Text(measured.Ratio()));
}

void PrintRatio(const std::string& name, const Spread& ratio) {
  fmt::print("RATIO {} {}\n", name, Text(ratio));
}

void GiveUp(std::string_view why) {
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, why);
  std::_Exit(1);  // other threads may run
}

double Drain(runtime::Pipeline& pipeline, std::uint64_t items) {
  const MonoTime start = MonoNow();
  runtime::Item item;
  for (std::uint64_t taken = 0; taken < items;) {
    const auto got = pipeline.Next(item);
    if (got == runtime::Pipeline::Got::kEnd) break;
    if (got == runtime::Pipeline::Got::kError) GiveUp(item.error()->message);
    taken += got == runtime::Pipeline::Got::kItem;
  }
  return Seconds(MonoNow() - start);
}

std::unique_ptr<runtime::Pipeline> BuildOrDie(const runtime::PipelineDescription& description,
                                              const runtime::PipelineOptions& options) {
  auto pipeline = runtime::Pipeline::Build(description, options);
  if (!pipeline) GiveUp(pipeline.error().message);
  return std::move(*pipeline);
}

Arguments Parse(int argc, char** argv, int rounds, std::string folder) {
  Arguments arguments{rounds, std::move(folder)};
  const bool has_data = !arguments.folder.empty();
  int place = 0;
  for (const char* word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (std::string_view(word) == "--force") {
      arguments.busy = WhenBusy::kWarn;
    } else if (std::string_view(word) == "--no-look") {
      arguments.busy = WhenBusy::kDoNotLook;
    } else if (place == 0 && std::atoi(word) > 0) {
      arguments.rounds = std::atoi(word);
      ++place;
    } else if (place == 1 && has_data) {
      arguments.folder = word;
      ++place;
    } else {
      fmt::print(stderr, "usage: {} [ROUNDS{}] [--force | --no-look]\n", program_invocation_short_name,
                 has_data ? " [FOLDER]" : "");
      std::exit(2);
    }
  }
  return arguments;
}

std::string HowToMake(std::string_view kind, const std::string& folder, std::string_view wrong) {
  if (wrong.contains("sluice data make")) return std::string(wrong);
  return fmt::format("{}; make it: build/release/bin/sluice data make {} --out {}", wrong, kind, folder);
}

}  // namespace sluice::bench
