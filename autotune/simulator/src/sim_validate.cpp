#include "sim_validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim_flow.h"
#include "sluice/base/text.h"

namespace sluice::simulator {
namespace {

constexpr std::size_t kMaxOps = 256;
constexpr std::size_t kMaxName = 47;  // as in a live pipeline
constexpr int kMaxWorkers = 1024;
constexpr int kMaxCapacity = 1 << 20;
constexpr double kMaxCores = 4096;
constexpr std::uint32_t kMaxBatch = 1u << 20;
constexpr std::uint32_t kMaxBuffer = 1u << 20;
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;
constexpr Bytes kMaxItem{std::int64_t{1} << 40};
constexpr Nanos kLongest = std::chrono::hours(1);

using Finding = std::optional<SimProblem>;

Finding Wrong(std::string_view field, std::string message) {
  return SimProblem{SimPart::kTop, 0, std::string(field), std::move(message)};
}

template <typename T>
Finding InRange(std::string_view field, T value, T low, T high) {
  if (value >= low && value <= high) return std::nullopt;  // NaN is outside of everything
  return Wrong(field, fmt::format("{} is outside {}..{}", value, low, high));
}

Finding InRange(std::string_view field, Nanos value, Nanos low, Nanos high) {
  if (value >= low && value <= high) return std::nullopt;
  return Wrong(field, fmt::format("{} is outside {}..{}", FormatDuration(value), FormatDuration(low),
                                  FormatDuration(high)));
}

Finding InRange(std::string_view field, Bytes value, Bytes high) {
  if (value >= Bytes{0} && value <= high) return std::nullopt;
  return Wrong(field, fmt::format("must be between 0 B and {}", FormatBytes(high)));
}

template <typename T>
Finding Sensible(std::string_view field, const T& value) {
  std::string wrong = WhatIsWrong(value);
  return wrong.empty() ? std::nullopt : Wrong(field, std::move(wrong));
}

Finding First(std::initializer_list<Finding> findings) {
  for (const Finding& finding : findings) {
    if (finding) return finding;
  }
  return std::nullopt;
}

Finding In(SimPart part, std::size_t index, Finding finding) {
  if (finding) finding->part = part;
  if (finding) finding->index = index;
  return finding;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

Finding CheckName(const SimScenario& s, std::size_t i) {
  const std::string& name = s.ops[i].name;
  if (name.empty()) return Wrong("name", "is empty");
  if (name.size() > kMaxName) {
    return Wrong("name", fmt::format("has {} characters; {} are possible", name.size(), kMaxName));
  }
  if (!std::ranges::all_of(name, IsNameCharacter)) {
    return Wrong("name", "may have letters, digits, '_' and '-' only");
  }
  const auto same = [&](const SimOp& other) { return other.name == name; };
  return std::ranges::count_if(s.ops, same) == 1 ? std::nullopt : Wrong("name", "is taken by another op");
}

Finding CheckBounds(std::string_view what, int value, int min, int max, int limit) {
  const auto min_name = fmt::format("min_{}", what);
  const auto max_name = fmt::format("max_{}", what);
  if (auto wrong = First({InRange(min_name, min, 1, limit), InRange(max_name, max, 1, limit)})) return wrong;
  if (min > max) return Wrong(min_name, fmt::format("{} is more than {} = {}", min, max_name, max));
  if (value >= min && value <= max) return std::nullopt;
  return Wrong(what,
               fmt::format("{} is outside {}..{} (see {} and {})", value, min, max, min_name, max_name));
}

Finding CheckSerial(const SimOp& op) {
  if (!op.serial || (op.workers == 1 && op.min_workers == 1)) return std::nullopt;
  return Wrong(op.workers > 1 ? "workers" : "min_workers", "the op is serial: 1 is possible");
}

Finding CheckInputs(const SimScenario& s, std::size_t i) {
  const SimOp& op = s.ops[i];
  const auto inputs = InputsOf(s, i);
  if (op.kind == SimKind::kRange && !inputs.empty()) return Wrong("inputs", "a source has none");
  if (op.kind != SimKind::kRange && inputs.empty()) return Wrong("kind", "the first op must be a source");
  const bool joins = op.kind == SimKind::kZip || op.kind == SimKind::kConcat;
  if (joins && inputs.size() < 2) return Wrong("inputs", "two or more are needed");
  if (!joins && inputs.size() > 1) return Wrong("inputs", "one is possible; join several with zip or concat");
  for (const std::uint32_t input : inputs) {
    if (input >= i) return Wrong("inputs", "must be earlier ops");
  }
  return std::nullopt;
}

Finding CheckCosts(const SimOp& op) {
  return First({Sensible("burn", op.burn), Sensible("wait", op.wait), Sensible("contention", op.contention),
                InRange("read", op.read, kMaxItem), InRange("read_cv", op.read_cv, 0.0, 100.0),
                InRange("requests", op.requests, 0.0, 1e6), InRange("allocate", op.allocate, kMaxItem),
                InRange("dear_share", op.dear_share, 0.0, 1.0),
                InRange("dear_factor", op.dear_factor, 0.001, 1000.0)});
}

Finding CheckOp(const SimScenario& s, std::size_t i) {
  const SimOp& op = s.ops[i];
  const bool source = op.kind == SimKind::kRange;
  const bool batch = op.kind == SimKind::kBatch;
  const bool shuffle = op.kind == SimKind::kShuffle;
  return First({CheckName(s, i), CheckInputs(s, i),
                CheckBounds("workers", op.workers, op.min_workers, op.max_workers, kMaxWorkers),
                CheckBounds("capacity", op.capacity, op.min_capacity, op.max_capacity, kMaxCapacity),
                CheckSerial(op), CheckCosts(op), InRange("shards", op.shards, 0, kMaxWorkers),
                InRange("startup", op.startup, Nanos(0), kLongest),
                InRange("size", op.size, 1u, batch ? kMaxBatch : 1u),
                InRange("buffer_size", op.buffer, shuffle ? 1u : 0u, shuffle ? kMaxBuffer : 0u),
                InRange("count", op.count, std::uint64_t{source ? 1u : 0u}, source ? kMaxCount : 0)});
}

Finding CheckShape(const SimScenario& s) {
  if (s.ops.empty()) return Wrong("source", "there is no op");
  if (s.ops.size() > kMaxOps) {
    return Wrong("op", fmt::format("{} ops; {} are possible", s.ops.size(), kMaxOps));
  }
  return std::nullopt;
}

// Whoever takes from an op; every one but the last needs exactly one.
Finding CheckEnds(const SimScenario& s) {
  std::vector<int> takers(s.ops.size(), 0);
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    for (const std::uint32_t input : InputsOf(s, i)) ++takers[input];
  }
  ++takers.back();
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    if (takers[i] == 1) continue;
    const std::string who = takers[i] == 0 ? "no op takes its items" : "more than one takes its items";
    return In(SimPart::kOp, i, Wrong("", fmt::format("{}; name it in `inputs` of exactly one op", who)));
  }
  return std::nullopt;
}

Finding CheckFlow(const SimScenario& s) {
  const std::vector<double> items = ItemsPerEpoch(s);
  std::size_t concats = 0;
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    const auto inputs = InputsOf(s, i);
    concats += s.ops[i].kind == SimKind::kConcat ? 1 : 0;
    if (concats > 1) return In(SimPart::kOp, i, Wrong("kind", "a second concat is not possible"));
    if (items[i] <= 0) return In(SimPart::kOp, i, Wrong("", "an epoch has too few rows for one item of it"));
    if (s.ops[i].kind != SimKind::kZip) continue;
    for (const std::uint32_t input : inputs) {
      if (items[input] == items[inputs[0]]) continue;
      return In(SimPart::kOp, i,
                Wrong("inputs",
                      fmt::format("{} has {} items per epoch and {} has {}; a zip needs as many of each",
                                  s.ops[inputs[0]].name, items[inputs[0]], s.ops[input].name, items[input])));
    }
  }
  return std::nullopt;
}

bool Costs(const SimScenario& s, const SimOp& op) {
  const bool reads =
      (op.read.count > 0 && s.storage.bandwidth.count > 0) || (op.requests > 0 && s.storage.request_rate > 0);
  return op.burn.mean.count() > 0 || op.wait.mean.count() > 0 || reads;
}

// A path without any cost would deliver endlessly at one moment.
Finding CheckTakesTime(const SimScenario& s) {
  if (s.consumer.step.mean.count() > 0 || s.consumer.burn.mean.count() > 0) return std::nullopt;
  std::vector<bool> costs;
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    const auto inputs = InputsOf(s, i);
    const bool before =
        !inputs.empty() && std::ranges::all_of(inputs, [&](std::uint32_t input) { return costs[input]; });
    costs.push_back(before || Costs(s, s.ops[i]));
  }
  return costs.back() ? std::nullopt : Wrong("", "nothing takes time; give an op or the consumer a cost");
}

Finding CheckTop(const SimScenario& s) {
  return First({InRange("cores", s.machine.cores, 0.01, kMaxCores),
                InRange("pause", s.pause, Nanos(0), kLongest),
                InRange("duration", s.duration, std::chrono::milliseconds(1), 24 * kLongest),
                InRange("memory", s.memory, Bytes{std::int64_t{1} << 50}),
                s.name.size() <= kMaxName ? std::nullopt : Wrong("name", "is too long")});
}

Finding CheckLoad(const SimHost& m) {
  for (const double factor : m.load) {
    if (auto wrong = InRange("load", factor, 0.001, 1000.0)) return wrong;
  }
  if (m.load.empty() || std::cmp_equal(m.load.size(), m.ranks)) return std::nullopt;
  return Wrong("load",
               fmt::format("has {} factors for {} ranks; write one for each", m.load.size(), m.ranks));
}

Finding CheckMachine(const SimHost& m) {
  return First({InRange("ranks", m.ranks, 1, 64), CheckLoad(m), InRange("nodes", m.nodes, 1, 16),
                InRange("remote_penalty", m.remote_penalty, 1.0, 100.0),
                InRange("memory", m.memory, Bytes{std::int64_t{1} << 50}),
                InRange("restart", m.restart, Nanos(0), kLongest), InRange("noise", m.noise, 0.0, 2.0),
                InRange("meter_noise", m.meter_noise, 0.0, 2.0)});
}

Finding CheckStorage(const SimStorage& storage) {
  for (const double share : storage.parallelism) {
    if (auto wrong = InRange("parallelism", share, 0.001, 1.0)) return wrong;
  }
  return First({InRange("bandwidth", storage.bandwidth, Bytes{std::int64_t{1} << 50}),
                InRange("request_rate", storage.request_rate, 0.0, 1e9)});
}

Finding CheckEvent(const SimScenario& s, std::size_t i) {
  const SimEvent& e = s.events[i];
  if (i > 0 && e.at < s.events[i - 1].at) return Wrong("at", "events must be in the order of time");
  if (e.op && *e.op >= s.ops.size()) return Wrong("op", "there is no such op");
  if (e.op && !e.cost) return Wrong("op", "is of use with cost only");
  if (!e.cost && !e.cores && !e.neighbour && !e.step && !e.memory) return Wrong("", "changes nothing");
  return First({InRange("at", e.at, Nanos(0), 24 * kLongest),
                InRange("cost", e.cost.value_or(1), 0.001, 1000.0),
                InRange("cores", e.cores.value_or(1), 0.01, kMaxCores),
                InRange("neighbour", e.neighbour.value_or(0), 0.0, kMaxCores),
                InRange("step", e.step.value_or(1), 0.001, 1000.0),
                InRange("memory", e.memory.value_or(Bytes{0}), Bytes{std::int64_t{1} << 50})});
}

Finding CheckRest(const SimScenario& s) {
  Finding consumer = First({Sensible("step", s.consumer.step), Sensible("burn", s.consumer.burn)});
  Finding found =
      First({In(SimPart::kConsumer, 0, consumer), In(SimPart::kStorage, 0, CheckStorage(s.storage))});
  for (std::size_t i = 0; !found && i < s.events.size(); ++i) {
    found = In(SimPart::kEvent, i, CheckEvent(s, i));
  }
  return found ? found : First({CheckEnds(s), CheckFlow(s), CheckTakesTime(s)});
}

std::string Sentence(const SimScenario& s, const SimProblem& problem) {
  std::string where;
  if (problem.part == SimPart::kOp) where = s.ops[problem.index].name + ": ";
  if (problem.part == SimPart::kConsumer) where = "consumer: ";
  if (problem.part == SimPart::kStorage) where = "storage: ";
  if (problem.part == SimPart::kMachine) where = "machine: ";
  if (problem.part == SimPart::kEvent) where = fmt::format("event {}: ", problem.index + 1);
  return where + (problem.field.empty() ? "" : problem.field + ": ") + problem.message;
}

}  // namespace

std::optional<SimProblem> FindSimProblem(const SimScenario& s) {
  if (auto found = First({CheckTop(s), CheckShape(s)})) return found;
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    if (auto found = In(SimPart::kOp, i, CheckOp(s, i))) return found;
  }
  if (auto found = In(SimPart::kMachine, 0, CheckMachine(s.machine))) return found;
  return CheckRest(s);
}

Result<void> Validate(const SimScenario& scenario) {
  const auto problem = FindSimProblem(scenario);
  if (!problem) return {};
  return Fail(Sentence(scenario, *problem));
}

}  // namespace sluice::simulator
