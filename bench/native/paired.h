// Paired measuring: two sides in turn, A B A B ..., a ratio per pair, the median of these. Drift of the
// machine hits both sides alike.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quiet.h"
#include "sluice/base/units.h"
#include "sluice/runtime/pipeline.h"

namespace sluice::bench {

// One run of one side: a time, or a rate, whatever the ratio is of.
using Side = std::function<double()>;

// A value, and the least and the greatest of the rounds that it comes from.
struct Spread {
  double value = 0, low = 0, high = 0;
  std::size_t rounds = 0;
};
// The median. REQUIRES: not empty.
[[nodiscard]] Spread SpreadOf(const std::vector<double>& rounds);
// "1.012 (0.980 to 1.050, 9 rounds)", as bench/compare writes it.
[[nodiscard]] std::string Text(const Spread& spread);

struct Paired {
  std::vector<double> a, b;
  std::vector<double> ratios;  // a / b, pair by pair
  [[nodiscard]] Spread Ratio() const { return SpreadOf(ratios); }
};

// One warm-up of each, then `rounds` pairs.
[[nodiscard]] Paired MeasurePaired(const Side& a, const Side& b, int rounds);

[[nodiscard]] double Median(std::vector<double> values);

// A table row: name, medians with ranges, the ratio.
void PrintHeader(const std::string& what, const std::string& a, const std::string& b,
                 const std::string& unit);
void PrintRow(const std::string& name, const Paired& measured);
// The last line, which bench/compare reads.
void PrintRatio(const std::string& name, const Spread& ratio);

// Ends the program with this line on standard error and exit status 1: a side could not be measured.
[[noreturn]] void GiveUp(std::string_view why);

// Consumes `pipeline` to its end, or until `items` came; returns the seconds from the first call on.
// Fails with the message when the pipeline does.
double Drain(runtime::Pipeline& pipeline, std::uint64_t items);
[[nodiscard]] std::unique_ptr<runtime::Pipeline> BuildOrDie(const runtime::PipelineDescription& description,
                                                            const runtime::PipelineOptions& options = {});

// [ROUNDS [FOLDER]] [--force | --no-look], the words of the command line of each of these programs.
struct Arguments {
  int rounds;
  std::string folder;  // of the input data, where there is some
  WhenBusy busy = WhenBusy::kRefuse;
};
// Ends the program with status 2 where there are other words.
[[nodiscard]] Arguments Parse(int argc, char** argv, int rounds, std::string folder = "");

// What was wrong with the data in `folder`, and the command that makes it.
[[nodiscard]] std::string HowToMake(std::string_view kind, const std::string& folder, std::string_view wrong);

}  // namespace sluice::bench
