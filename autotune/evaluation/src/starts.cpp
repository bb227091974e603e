#include "sluice/evaluation/starts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

#include "name_list.h"
#include "sluice/base/rng.h"

namespace sluice::evaluation {
namespace {

using simulator::Optimum;
using simulator::SimScenario;

constexpr double kTooMany = 4;      // times what is needed
constexpr std::uint64_t kSalt = 2;  // the plant draws with 1

double AsInFile(const SimScenario& scenario, std::size_t op, const Optimum&) {
  return scenario.ops[op].workers;
}

double One(const SimScenario&, std::size_t, const Optimum&) {
  return 1;
}

// Of the rank's budget.
double PerCore(const SimScenario& scenario, std::size_t, const Optimum&) {
  return std::max(1.0, std::floor(scenario.machine.cores / scenario.machine.ranks));
}

double Fourfold(const SimScenario&, std::size_t op, const Optimum& optimum) {
  return kTooMany * optimum.workers[op];
}

// Log-uniform: as often below 4 as from 4 to 16.
double AtRandom(const SimScenario& scenario, std::size_t op, const Optimum& optimum) {
  const double most =
      std::min<double>(scenario.ops[op].max_workers, kTooMany * PerCore(scenario, op, optimum));
  return std::pow(most, Rng(scenario.seed, 0, op, kSalt).Uniform());
}

constexpr std::array kStarts = std::to_array<Start>({
    {kAsInFile, "as the scenario's file has it", AsInFile},
    {"one", "one worker for every op", One},
    {"cores", "a worker per core of the budget for every op", PerCore},
    {"fourfold", "four times the workers of the optimum", Fourfold},
    {"random", "from one to four workers per core, drawn from the scenario's seed", AtRandom},
});

}  // namespace

std::span<const Start> Starts() {
  return kStarts;
}

Result<std::vector<Start>> StartsNamed(std::string_view list) {
  std::vector<std::string> all;
  all.reserve(kStarts.size());
  for (const Start& start : kStarts) all.emplace_back(start.name);
  const auto names = NamesIn(list, "start", all);
  if (!names) return std::unexpected(names.error());
  std::vector<Start> starts;
  std::ranges::copy_if(kStarts, std::back_inserter(starts), [&](const Start& start) {
    return std::ranges::find(*names, start.name) != names->end();
  });
  return starts;
}

simulator::SimScenario StartedAt(const Start& start, SimScenario scenario, const Optimum& optimum) {
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    simulator::SimOp& op = scenario.ops[i];
    if (op.pin_workers || op.serial) continue;
    const auto wanted = std::lround(start.workers(scenario, i, optimum));
    op.workers = static_cast<int>(std::clamp<long>(wanted, op.min_workers, op.max_workers));
  }
  return scenario;
}

}  // namespace sluice::evaluation
