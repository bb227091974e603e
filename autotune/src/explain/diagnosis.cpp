#include "explain/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "estimate/taken_cores.h"
#include "explain/wording.h"
#include "model/regimes.h"
#include "sluice/base/check.h"
#include "sluice/base/machine_limits.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr double kOften = 0.05;  // share of the consumer's time that makes waiting the story
constexpr double kNearDemand = 0.97;
constexpr double kFarFromDemand = 0.8;
constexpr double kMostly = 0.5;    // of the consumer's time, or of an op's workers'
constexpr double kFarAbove = 1.5;  // of what the model calls possible: then it is wrong
constexpr double kFewCores = 0.8;  // of the budget: it is not what limits
constexpr double kFewItems = 3;    // half the confidence with as many consumer items

struct Facts {
  const DiagnosisInput& in;
  Ceiling now;   // with what is in force
  Ceiling best;  // with what could be
  [[nodiscard]] const Graph& graph() const { return *in.seen.graph; }
  // REQUIRES: an op is the limit.
  [[nodiscard]] std::size_t op() const {
    SLUICE_CHECK(now.op);
    return *now.op;
  }
  [[nodiscard]] const std::string& name(std::size_t op) const { return graph().ops[op].name; }
  [[nodiscard]] std::string rows(double rate) const { return InRows(graph(), rate); }
};

bool NamesOp(Limit limit) {
  return limit == Limit::kOp || limit == Limit::kSerialOp || limit == Limit::kStorage ||
         limit == Limit::kContention;
}

bool AllCoresLimit(const Facts& f) {
  return f.now.limit == Limit::kCores && f.in.estimate.cores_used >= kNearDemand * f.in.seen.budget.cores;
}

// It takes more than was measured before and than the ops can make: what lies in buffers is soon gone.
bool DrainsBuffers(const Facts& f) {
  const double far = AllCoresLimit(f) ? kNearDemand : kFarFromDemand;
  return std::max(f.in.measured.mean, f.now.rate) < far * f.in.estimate.demand;
}

bool Served(const Facts& f, const AutoTuneSettings& settings) {
  if (!std::isfinite(f.in.estimate.demand)) return false;
  const double starved = f.in.estimate.starved;
  if (starved < settings.served.value) return !DrainsBuffers(f);
  if (AllCoresLimit(f)) return false;
  return starved < kOften && f.in.measured.mean >= kNearDemand * f.in.estimate.demand;
}

// The quota that the run feels; nullptr: none.
const CpuQuota* FeltQuota(const Facts& f) {
  return f.in.seen.machine ? ThrottlingQuota(*f.in.seen.machine) : nullptr;
}

// It is held back in most periods: what an op then takes for its items is the quota's doing.
bool MostlyThrottled(const Facts& f) {
  const CpuQuota* quota = FeltQuota(f);
  return quota != nullptr && quota->throttled_share.value_or(Fraction{}).value >= kMostly;
}

bool OthersTakeCores(const Facts& f) {
  return OthersTakeCores(f.in.seen.budget.cores, f.in.estimate);
}

// More workers would help, and there is no room for them.
bool MemoryIsInTheWay(const Facts& f) {
  return f.now.rate < kNearDemand * f.best.rate && f.in.planner.Grow().predicted < kNearDemand * f.best.rate;
}

Limit LimitOf(const Facts& f, const AutoTuneSettings& settings) {
  if (Served(f, settings)) return Limit::kConsumer;
  if (f.in.short_of_memory && f.now.limit == Limit::kOp && MemoryIsInTheWay(f)) return Limit::kMemory;
  const bool by_worker = f.now.limit == Limit::kOp || f.now.limit == Limit::kStorage;
  if (f.now.limit == Limit::kOp && MostlyThrottled(f)) return Limit::kCores;
  const double cores = CoresToBeHad(f.in.seen.budget.cores, f.in.estimate);
  if (by_worker && f.in.estimate.cores_used >= kNearDemand * cores) return Limit::kCores;
  if (f.now.limit != Limit::kConsumer) return f.now.limit;
  if (OthersTakeCores(f) || MostlyThrottled(f)) return Limit::kCores;
  return f.in.short_of_memory ? Limit::kMemory : Limit::kConsumer;
}

std::string Wish(const Facts& f) {
  const double demand = f.in.estimate.demand;
  const double cores = f.in.planner.model().CoresRate();
  if (std::isfinite(demand) && demand <= cores)
    return fmt::format("the consumer could take {}", f.rows(demand));
  return std::isfinite(cores) ? fmt::format("the cores could give {}", f.rows(cores))
                              : "nothing else is in its way";
}

std::string Busy(const Facts& f, std::size_t op) {
  const int n = f.in.planner.present().workers[op];
  if (n == 0) {
    return fmt::format("the trainer does it itself, {} of its time, and makes {}",
                       FormatPercent({f.in.estimate.ops[op].utilisation}), f.rows(f.in.measured.mean));
  }
  const std::string busy = fmt::format("{} {} busy {}", CountWorkers(n), n == 1 ? "is" : "are",
                                       FormatPercent({f.in.estimate.ops[op].utilisation}));
  if (f.in.seen.ops[op].items == 0)
    return fmt::format("{} and {} not finished an item yet", busy, n == 1 ? "has" : "have");
  return fmt::format("{} and {} {}", busy, n == 1 ? "makes" : "make", f.rows(f.in.measured.mean));
}

std::string OpRemedy(const Facts& f, std::size_t op) {
  const char* const cheaper = AllowedIn(f.in.estimate.ops[op].regime).remedy;
  const int now = f.in.planner.present().workers[op];
  const Knob* knob = Find(f.in.seen, {KnobKind::kWorkers, static_cast<std::uint32_t>(op)});
  if (knob == nullptr) return "its workers cannot be changed from here";
  if (knob->held == HeldBecause::kAdvise) {
    const int best = f.in.planner.model().WorkersFor(op, f.best.rate);
    return best > now ? fmt::format("give it {}", CountWorkers(best)) : cheaper;
  }
  if (knob->held != HeldBecause::kNot)
    return fmt::format("its workers are held at {}: {}", knob->value, WhyHeld(knob->held));
  if (knob->holder == Holder::kUser)
    return fmt::format("its workers are pinned at {}: release them", knob->value);
  const int wanted = f.in.planner.model().WorkersFor(op, f.best.rate);
  if (wanted > now) return fmt::format("give it {}", CountWorkers(wanted));
  if (knob->value >= knob->max) return fmt::format("its bound is {}: raise it", CountWorkers(knob->max));
  return cheaper;
}

std::string OpSentence(const Facts& f, std::size_t op) {
  return fmt::format("{} limits the run: {}; {}; {}", f.name(op), Busy(f, op), Wish(f), OpRemedy(f, op));
}

std::string SerialSentence(const Facts& f, std::size_t op) {
  const OpEstimate& cost = f.in.estimate.ops[op];
  return fmt::format(
      "{} limits the run: it is serial, busy {}, needs {} per item and so gives at most {}; {}; "
      "more workers elsewhere cannot help: {}",
      f.name(op), FormatPercent({cost.utilisation}), FormatDuration(FromSeconds(cost.service())),
      f.rows(f.now.rate), Wish(f), AllowedIn(Regime::kSerial).remedy);
}

std::string LockSentence(const Facts& f) {
  std::vector<std::string> names;
  names.reserve(f.in.estimate.locked.size());
  for (const std::size_t op : f.in.estimate.locked) names.push_back(f.name(op));
  return fmt::format(
      "a lock limits the run: all workers of {} together keep one core busy, however many they are, and give "
      "at most {}; {}; {}",
      fmt::join(names, " and "), f.rows(f.now.rate), Wish(f), AllowedIn(Regime::kLocked).remedy);
}

// At times it wants more cores at once than there are; on average others are not known to have what it lacks.
std::string BurstsSentence(const Facts& f) {
  const std::optional<double> idle = f.in.estimate.idle;
  return fmt::format(
      "the cores limit the run at times: of {} it uses {}{}, while {} of its workers are ready and wait for "
      "one; {} pass and the consumer waits {} of its time; start fewer threads or give the run more cores",
      Plain(f.in.seen.budget.cores), Plain(f.in.estimate.cores_used),
      idle ? fmt::format(" and {} stand idle on average", Plain(*idle)) : "", Plain(f.in.estimate.queued),
      f.rows(f.in.measured.mean), FormatPercent({f.in.estimate.starved}));
}

bool OthersHaveThem(const Facts& f) {
  const double lacks = f.in.seen.budget.cores - f.in.estimate.cores_used;
  return f.in.estimate.idle && *f.in.estimate.idle <= lacks / 2;
}

std::string TakenCoresSentence(const Facts& f) {
  const double queued = f.in.estimate.queued;
  const double idle = f.in.estimate.idle.value_or(0);
  const std::string lack =
      queued >= idle ? fmt::format("while {} of its workers are ready and wait for one", Plain(queued))
                     : fmt::format("and {} stand idle", Plain(idle));
  return fmt::format(
      "other work on this machine limits the run: of {} cores it gets {} {}; {} pass and the consumer waits "
      "{} of its time; stop that work or give the run cores of its own",
      Plain(f.in.seen.budget.cores), Plain(f.in.estimate.cores_used), lack, f.rows(f.in.measured.mean),
      FormatPercent({f.in.estimate.starved}));
}

std::size_t Heaviest(const Facts& f) {
  const CapacityModel& model = f.in.planner.model();
  std::size_t heaviest = 0;
  for (std::size_t i = 0; i < f.in.estimate.ops.size(); ++i) {
    if (model.CpuShare(i) > model.CpuShare(heaviest)) heaviest = i;
  }
  return heaviest;
}

// "throttled by the cgroup quota: 2.0 of 16 cores, in 93% of its periods (cgroup /a: cpu.max 200000 100000)"
std::string QuotaText(const Facts& f, const CpuQuota& quota) {
  SLUICE_CHECK(f.in.seen.machine && quota.throttled_share);
  return fmt::format("{}, in {} of its periods ({})", ThrottledText(*f.in.seen.machine, quota),
                     FormatPercent(*quota.throttled_share), quota.bound.origin);
}

std::string ThrottledSentence(const Facts& f, const CpuQuota& quota) {
  const std::size_t heaviest = Heaviest(f);
  return fmt::format(
      "{}; {} pass and the consumer waits {} of its time; {} takes {} of the CPU "
      "time: make it cheaper, or raise the quota",
      QuotaText(f, quota), f.rows(f.in.measured.mean), FormatPercent({f.in.estimate.starved}),
      f.name(heaviest), FormatPercent({f.in.planner.model().CpuShare(heaviest)}));
}

std::string CoresSentence(const Facts& f) {
  if (const CpuQuota* quota = FeltQuota(f)) return ThrottledSentence(f, *quota);
  if (OthersTakeCores(f)) return OthersHaveThem(f) ? TakenCoresSentence(f) : BurstsSentence(f);
  const CapacityModel& model = f.in.planner.model();
  const std::size_t heaviest = Heaviest(f);
  const double per_core = model.CpuPerItem() > 0 ? 1 / model.CpuPerItem() : 0;
  return fmt::format(
      "the core budget limits the run: {} of {} cores are in use for {}; {} takes {} of the CPU "
      "time; each further core would give {} more",
      Plain(f.in.estimate.cores_used), Plain(f.in.seen.budget.cores), f.rows(f.in.measured.mean),
      f.name(heaviest), FormatPercent({model.CpuShare(heaviest)}), f.rows(per_core));
}

std::string StorageSentence(const Facts& f, std::size_t op) {
  return fmt::format(
      "storage limits the run: {} waits {} per item and more readers do not make it faster than {}; "
      "{}; {}",
      f.name(op), FormatDuration(FromSeconds(f.in.estimate.ops[op].wait)), f.rows(f.now.rate), Wish(f),
      AllowedIn(Regime::kStorage).remedy);
}

std::string ContentionSentence(const Facts& f, std::size_t op) {
  const int best = f.in.planner.model().BestWorkers(op);
  return fmt::format(
      "{} limits the run and gets slower per item with more workers: {} {} at most {}; "
      "{}; {}",
      f.name(op), CountWorkers(best), best == 1 ? "is best and gives" : "are best and give",
      f.rows(f.in.planner.model().OpRate(op, best)), Wish(f), AllowedIn(Regime::kContended).remedy);
}

std::string MemorySentence(const Facts& f) {
  const bool workers =
      std::ranges::any_of(f.in.seen.ops, [](const OpReading& op) { return op.worker_memory > Bytes{0}; });
  return fmt::format(
      "the byte budget limits the run: {} hold at most {} and {} are allowed; the consumer waits "
      "{} of its time; allow more memory or make the batches smaller",
      workers ? "buffers and workers" : "buffers",
      FormatBytes({static_cast<std::int64_t>(f.in.planner.Held(f.in.planner.present()))}),
      FormatBytes(f.in.seen.budget.memory), FormatPercent({f.in.estimate.starved}));
}

// Its own steps may be what the quota holds back.
std::string CoresInUse(const Facts& f) {
  if (const CpuQuota* quota = FeltQuota(f)) return "; the run is " + QuotaText(f, *quota);
  return fmt::format(
      ", which uses {} of {} cores; {}", Plain(f.in.estimate.cores_used), Plain(f.in.seen.budget.cores),
      f.in.estimate.starved < kOften ? "nothing to do"
                                     : "every op is fast enough on average, but not at every moment");
}

// While buffers fill, more is made than it takes.
std::string ConsumerSentence(const Facts& f) {
  return fmt::format("the consumer is the limit: it takes {} and waits {} of its time for the pipeline{}",
                     f.rows(std::min(f.in.measured.mean, f.in.estimate.demand)),
                     FormatPercent({f.in.estimate.starved}), CoresInUse(f));
}

std::string Sentence(const Facts& f, Limit limit) {
  switch (limit) {
    case Limit::kConsumer:
      return ConsumerSentence(f);
    case Limit::kCores:
      return CoresSentence(f);
    case Limit::kMemory:
      return MemorySentence(f);
    case Limit::kSerialOp:
      return f.in.estimate.ops[f.op()].regime == Regime::kSerial ? SerialSentence(f, f.op())
                                                                 : LockSentence(f);
    case Limit::kStorage:
      return StorageSentence(f, f.op());
    case Limit::kContention:
      return ContentionSentence(f, f.op());
    default:
      return OpSentence(f, f.op());
  }
}

// What was measured speaks against it: an op that mostly idles while more passes than it is said to be able
// to make, a consumer that mostly waits, or cores of which many are not used.
bool Refuted(const Facts& f, Limit limit) {
  if (limit == Limit::kConsumer) return f.in.estimate.starved >= kMostly;
  if (limit == Limit::kCores)
    return !OthersTakeCores(f) && !MostlyThrottled(f) &&
           f.in.estimate.cores_used < kFewCores * f.in.seen.budget.cores;
  if (!NamesOp(limit)) return false;
  return f.in.estimate.ops[f.op()].utilisation < kMostly && f.in.measured.mean > kFarAbove * f.now.rate;
}

std::string PaceSentence(const Facts& f) {
  return fmt::format("{} pass and the consumer waits {} of its time", f.rows(f.in.measured.mean),
                     FormatPercent({f.in.estimate.starved}));
}

std::string UnknownSentence(const Facts& f) {
  return PaceSentence(f) +
         "; what limits the run is not clear from what the ops do: look at what happens at the start of "
         "epochs";
}

// More with more items seen, with a clear distance to the runner-up, and where model and measurement agree.
Fraction Confidence(const Facts& f, Limit limit) {
  const double seen = f.in.estimate.consumer_items / (f.in.estimate.consumer_items + kFewItems);
  if (limit == Limit::kConsumer) return {seen};
  const double gap = std::isfinite(f.now.runner_up) ? f.now.runner_up / f.now.rate - 1 : 1;
  const double clear = 0.6 + 0.4 * std::min(1.0, gap / (2 * f.in.measured.noise));
  const double off = std::abs(std::log(std::max(f.in.measured.mean, 1e-9) / std::max(f.now.rate, 1e-9)));
  return {seen * clear * std::exp(-off)};
}

Facts Gather(const DiagnosisInput& in) {
  return {in, in.planner.model().With(in.planner.present().workers), in.planner.model().Optimum()};
}

}  // namespace

Verdict Diagnose(const DiagnosisInput& in, const AutoTuneSettings& settings) {
  const Facts facts = Gather(in);
  Verdict verdict;
  for (const OpEstimate& op : in.estimate.ops) verdict.regimes.push_back(op.regime);
  verdict.limit = LimitOf(facts, settings);
  if (Refuted(facts, verdict.limit)) {
    verdict.limit = Limit::kUnknown;
    verdict.sentence = UnknownSentence(facts);
    return verdict;
  }
  if (NamesOp(verdict.limit)) verdict.op = static_cast<std::uint32_t>(facts.op());
  verdict.sentence = Sentence(facts, verdict.limit);
  verdict.confidence = Confidence(facts, verdict.limit);
  return verdict;
}

Verdict StillMeasuring(const Snapshot& seen, MonoTime since) {
  Verdict verdict;
  verdict.sentence = fmt::format("measuring: {} and {} consumer items so far",
                                 FormatDuration(seen.at - since), seen.consumer.items);
  return verdict;
}

std::string Reason(const DiagnosisInput& in, const AutoTuneSettings& settings) {
  const Facts f = Gather(in);
  const Limit limit = LimitOf(f, settings);
  if (Refuted(f, limit)) return PaceSentence(f);
  if (!NamesOp(limit)) return Sentence(f, limit);
  return fmt::format("{} limits the run: {}; {}", f.name(f.op()), Busy(f, f.op()), Wish(f));
}

}  // namespace sluice::autotune
