// Paired measuring: two sides in turn, A B A B ..., a ratio per pair, the median of these. Drift of the
// machine hits both sides alike.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/runtime/pipeline.h"

namespace sluice {

// One run of one side: a time, or a rate, whatever the ratio is of.
using Side = std::function<double()>;

struct Paired {
  std::vector<double> a, b;
  std::vector<double> ratios;  // a / b, pair by pair
  [[nodiscard]] double MedianRatio() const;
};

// One warm-up of each, then `rounds` pairs.
[[nodiscard]] Paired MeasurePaired(const Side& a, const Side& b, int rounds);

[[nodiscard]] double Median(std::vector<double> values);

// A table row: name, medians with ranges, the ratio.
void PrintHeader(const std::string& what, const std::string& a, const std::string& b,
                 const std::string& unit);
void PrintRow(const std::string& name, const Paired& measured);
void PrintRatio(const std::string& name, double value);

// Consumes `pipeline` to its end, or until `items` came; returns the seconds from the first call on.
// Aborts with the message when the pipeline fails.
double Drain(Pipeline& pipeline, std::uint64_t items);
[[nodiscard]] std::unique_ptr<Pipeline> BuildOrDie(const PipelineDescription& description,
                                                   const PipelineOptions& options = {});

// argv[1] as a number of rounds, else `rounds`.
[[nodiscard]] int RoundsFrom(int argc, char** argv, int rounds);

}  // namespace sluice
