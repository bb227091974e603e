#include "estimate/scalability_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kMemoryItems = 1000;  // a point follows slow drift
constexpr double kStaleItems = 100;    // that a point weighs once the op has changed
constexpr double kAnchorItems = 20;
constexpr double kDoubt = 20;         // items that the law weighs as much as what was seen
constexpr double kPriorNoise = 0.05;  // relative, of one look
constexpr double kPriorLooks = 3;
constexpr double kFlatTop = 0.99;
constexpr double kSameCount = 1.1;
constexpr double kLeastItems = 5;  // a point of fewer items is hearsay
constexpr double kSpread = 1.5;    // points within this ratio tell the law's terms no better than one
constexpr double kRise = 0.10;     // caches and sibling threads alone cost up to this
constexpr double kSigmas = 3.5;    // of both means
constexpr double kFarApart = 4;    // between such counts the law's terms differ by more than a trial can see
constexpr double kSameFit = 1e-9;

struct Sample {
  double n;
  double service;
  double weight;  // below 1: how much it has to say beside the law
};

// service = a + b (n - 1) + c n (n - 1), by least squares of relative errors.
struct Fitted {
  double a = 0, b = 0, c = 0;
  double residual = 0;
};

double Residual(std::span<const Sample> samples, const Fitted& f) {
  double sum = 0;
  for (const Sample& s : samples) {
    const double error = (f.a + f.b * (s.n - 1) + f.c * s.n * (s.n - 1)) / s.service - 1;
    sum += error * error * s.weight;
  }
  return sum;
}

// By how much the slowest count seen must be slower than the least one, if that is not to be noise.
// `squared_error`: of both, of their logarithms.
double NoiseOfRise(double squared_error) {
  return On(Rule::kNoiseOfRise) ? std::exp(kSigmas * std::sqrt(squared_error)) : 1;
}

// The two-parameter fit a + slope * g(n).
template <typename Shape>
std::optional<std::array<double, 2>> Line(std::span<const Sample> samples, Shape g) {
  double w = 0, wg = 0, wgg = 0, ws = 0, wgs = 0;
  for (const Sample& s : samples) {
    const double weight = s.weight / (s.service * s.service);
    w += weight;
    wg += weight * g(s.n);
    wgg += weight * g(s.n) * g(s.n);
    ws += weight * s.service;
    wgs += weight * g(s.n) * s.service;
  }
  const double determinant = w * wgg - wg * wg;
  if (std::abs(determinant) < 1e-12 * w * wgg) return std::nullopt;
  const double slope = (w * wgs - wg * ws) / determinant;
  const double base = (ws - slope * wg) / w;
  if (slope < 0 || base <= 0) return std::nullopt;
  return std::array{base, slope};
}

std::optional<Fitted> Crosstalk(std::span<const Sample> samples) {
  const auto line = Line(samples, [](double n) { return n * (n - 1); });
  if (!line) return std::nullopt;
  return Fitted{.a = (*line)[0], .c = (*line)[1]};
}

// Both terms: scan their mix, each mix is a line.
std::optional<Fitted> Both(std::span<const Sample> samples) {
  std::optional<Fitted> best;
  for (int step = 1; step < 50; ++step) {
    const double mix = std::exp2(-10 + 0.25 * step);  // kappa / sigma
    const auto line = Line(samples, [mix](double n) { return (n - 1) + mix * n * (n - 1); });
    if (!line) continue;
    Fitted f{.a = (*line)[0], .b = (*line)[1], .c = (*line)[1] * mix};
    f.residual = Residual(samples, f);
    if (!best || f.residual < best->residual) best = f;
  }
  return best;
}

// Each term explains half of the rise to the greatest count.
std::optional<Fitted> Halves(std::span<const Sample> samples) {
  const double mix = 1 / samples.back().n;
  const auto line = Line(samples, [mix](double n) { return (n - 1) + mix * n * (n - 1); });
  if (!line) return std::nullopt;
  return Fitted{.a = (*line)[0], .b = (*line)[1], .c = (*line)[1] * mix};
}

// Points that lie close together are one: between them noise looks like a slope.
int CountsApart(std::span<const Sample> samples) {
  int apart = 0;
  double last = 0;
  for (const Sample& s : samples) {
    if (s.n < kSpread * last) continue;
    ++apart;
    last = s.n;
  }
  return apart;
}

// Two points fit either term exactly. A rate that fell speaks for crosstalk; else they share the blame, so
// that the next plan neither runs on into a fall nor gives up what is still to be had.
std::optional<Fitted> Choose(std::span<const Sample> samples) {
  if (CountsApart(samples) > 2) return Both(samples);
  const bool fell = samples.back().n / samples.back().service < samples.front().n / samples.front().service;
  return fell ? Crosstalk(samples) : Halves(samples);
}

// Where the rise is steeper than the law's from any start: as if as many workers as the fewest seen did no
// better than one.
std::optional<Fitted> Steepest(std::span<const Sample> samples) {
  const Sample& first = samples.front();
  const Sample& last = samples.back();
  if (last.service <= first.service) return std::nullopt;
  const double base = first.service / first.n;
  return Fitted{.a = base, .c = (last.service - base) / (last.n * (last.n - 1))};
}

// Not yet bent to go through what was seen; `base` is service(1).
struct Unbent {
  Scaling scaling;
  double base = 0;
};

// All of the work is serial: no more can be. `mix`: kappa.
Fitted Serial(std::span<const Sample> samples, double mix) {
  double wg = 0, wgg = 0;
  for (const Sample& s : samples) {
    const double g = (s.n + mix * s.n * (s.n - 1)) / s.service;
    wg += s.weight * g;
    wgg += s.weight * g * g;
  }
  const double base = wg / wgg;
  return {.a = base, .b = base, .c = base * mix};
}

std::optional<Unbent> FitLaw(std::span<const Sample> samples) {
  auto fitted = Choose(samples);
  if (!fitted) fitted = Steepest(samples);
  if (!fitted) return std::nullopt;
  if (fitted->b > fitted->a) fitted = Serial(samples, fitted->c / fitted->b);
  return Unbent{{.law = {.sigma = fitted->b / fitted->a, .kappa = fitted->c / fitted->a}}, fitted->a};
}

// Which knees can be the best one: those counts that were seen, and between two of them that of the level
// through the counts below and the slope through those above. Greatest first.
std::vector<double> PossibleKnees(std::span<const Sample> samples) {
  double slope_n = 0, slope_nn = 0;
  double level = 0, level_square = 0;
  for (const Sample& s : samples) {
    level += s.weight / s.service;
    level_square += s.weight / (s.service * s.service);
  }
  std::vector<double> knees;
  for (std::size_t i = samples.size(); i-- > 0;) {
    const Sample& s = samples[i];
    knees.push_back(s.n);
    level -= s.weight / s.service;
    level_square -= s.weight / (s.service * s.service);
    slope_n += s.weight * s.n / s.service;
    slope_nn += s.weight * s.n * s.n / (s.service * s.service);
    if (i == 0) break;
    const double knee = level / level_square * slope_nn / slope_n;
    if (knee > samples[i - 1].n && knee < s.n) knees.push_back(knee);
  }
  return knees;
}

// service = base * max(1, n / knee), by least squares of relative errors; of knees that explain as much the
// greatest.
std::optional<Unbent> FitRoofline(std::span<const Sample> samples) {
  std::optional<Unbent> best;
  double least = 0;
  for (const double knee : PossibleKnees(samples)) {
    double wg = 0, wgg = 0, w = 0;
    for (const Sample& s : samples) {
      const double g = std::max(1.0, s.n / knee) / s.service;
      w += s.weight;
      wg += s.weight * g;
      wgg += s.weight * g * g;
    }
    const double residual = w - wg * wg / wgg;
    if (best && residual >= least - kSameFit * w) continue;
    least = residual;
    best = Unbent{{.knee = knee}, wg / wgg};
  }
  return best;
}

}  // namespace

double Scaling::Slowdown(double n) const {
  if (seen.empty()) return 1;
  const auto above = std::ranges::find_if(seen, [n](const Seen& s) { return s.n >= n; });
  double correction = above == seen.end() ? seen.back().correction : above->correction;
  if (above != seen.begin() && above != seen.end()) {
    const auto below = std::prev(above);
    const double share = std::log(n / below->n) / std::log(above->n / below->n);
    correction = std::pow(below->correction, 1 - share) * std::pow(above->correction, share);
  }
  return Straight(n) * correction;
}

std::vector<double> Scaling::Slowdowns(int most) const {
  std::vector<double> slowdowns;
  for (int n = 1; n <= most && !seen.empty(); ++n) slowdowns.push_back(Slowdown(n));
  return slowdowns;
}

int Scaling::Peak(int most) const {
  const std::vector<double> slowdowns = Slowdowns(most);
  return slowdowns.empty() ? most : PeakOf(slowdowns);
}

int PeakOf(std::span<const double> slowdowns) {
  double greatest = 0;
  for (std::size_t i = 0; i < slowdowns.size(); ++i) {
    greatest = std::max(greatest, static_cast<double>(i + 1) / slowdowns[i]);
  }
  std::size_t peak = 0;
  while (static_cast<double>(peak + 1) / slowdowns[peak] < kFlatTop * greatest) ++peak;
  return static_cast<int>(peak + 1);
}

double Scaling::Optimist(double from, double n) const {
  const auto next = std::ranges::find_if(seen, [&](const Seen& s) { return s.n > from * kSameCount; });
  if (next != seen.end() && next->n < n * kSameCount) return Slowdown(n);
  double exponent = 0;
  if (std::distance(seen.begin(), next) >= 2) {
    const double low = std::prev(next, 2)->n;
    exponent = std::max(0.0, std::log(Slowdown(from) / Slowdown(low)) / std::log(from / low));
  }
  return Slowdown(from) * std::pow(n / from, exponent);
}

double Scaling::Outlook(double from, double n) const {
  return 2 / (1 / Optimist(from, n) + 1 / Slowdown(n));
}

std::optional<Scaling::Guess> Scaling::Between(double n) const {
  const auto near = std::ranges::find_if(seen, [n](const Seen& s) { return s.n * kSpread > n; });
  if (knee || near == seen.begin() || near == seen.end()) return std::nullopt;
  const double low = std::prev(near)->n;
  if (n < kFarApart * low) return std::nullopt;
  const double rise = Slowdown(n) / Slowdown(low) - 1;
  if (rise <= 0) return std::nullopt;
  const double kappa = rise / (n * (n - 1) - low * (low - 1));
  const double sigma = rise / (n - low);
  const double peak = std::clamp(std::sqrt(std::max(0.0, 1 / kappa - low * (low - 1))), low, n);
  const double by_crosstalk = peak / (1 + kappa * (peak * (peak - 1) - low * (low - 1)));
  const double by_share = peak / (1 + sigma * (peak - low));
  return Guess{peak, (by_crosstalk + by_share) / 2 / (n / (1 + rise)) - 1};
}

void ScalabilityCurve::Add(double busy, double service, double items) {
  if (service <= 0 || items <= 0) return;
  fitted_.reset();
  const double n = std::max(1.0, busy);
  if (!anchor_) return Keep(n, service, items);
  anchor_->weight += items;
  anchor_->busy += (n - anchor_->busy) * items / anchor_->weight;
  anchor_->service += (service - anchor_->service) * items / anchor_->weight;
  if (anchor_->weight < kAnchorItems) return;
  const CurvePoint anchor = *anchor_;
  anchor_.reset();
  if (const CurvePoint* known = Nearest(anchor.busy)) Scale(anchor.service / known->service);
  Keep(anchor.busy, anchor.service, anchor.weight);
}

void ScalabilityCurve::Reanchor() {
  anchor_.emplace();
}

void ScalabilityCurve::Keep(double n, double service, double items) {
  const auto index = std::min(points_.size() - 1, static_cast<std::size_t>(std::lround(2 * std::log2(n))));
  CurvePoint& point = points_[index];
  point.weight = std::min(point.weight, kMemoryItems) + items;
  point.busy += (n - point.busy) * items / point.weight;
  point.service += (service - point.service) * items / point.weight;
  const double step = std::log(service) - point.log_mean;
  point.log_mean += step / ++point.looks;
  point.log_squares += step * (std::log(service) - point.log_mean);
}

const CurvePoint* ScalabilityCurve::Nearest(double n) const {
  const CurvePoint* nearest = nullptr;
  for (const CurvePoint& p : points_) {
    if (p.weight < kLeastItems) continue;
    const auto away = [n](const CurvePoint& q) { return std::abs(std::log(q.busy / n)); };
    if (nearest == nullptr || away(p) < away(*nearest)) nearest = &p;
  }
  return nearest;
}

void ScalabilityCurve::Scale(double ratio) {
  for (CurvePoint& point : points_) {
    point.service *= ratio;
    point.log_mean += std::log(ratio);
    point.weight = std::min(point.weight, kStaleItems);
  }
}

// The meter and the machine have noise of their own, at one count as at another.
double ScalabilityCurve::LookVariance() const {
  double squares = kPriorLooks * kPriorNoise * kPriorNoise;
  double looks = kPriorLooks;
  for (const CurvePoint& p : points_) {
    squares += p.log_squares;
    looks += std::max(0.0, p.looks - 1);
  }
  return squares / looks;
}

Scaling ScalabilityCurve::Fit(double variability, Shape shape, double evidence) const {
  if (!Rises(variability, evidence)) return {};
  if (!fitted_ || fitted_shape_ != shape) fitted_ = FitCurve(shape);
  fitted_shape_ = shape;
  return *fitted_;
}

double ScalabilityCurve::Fewest() const {
  const auto fewest =
      std::ranges::find_if(points_, [](const CurvePoint& p) { return p.weight >= kLeastItems; });
  return fewest == points_.end() ? std::numeric_limits<double>::infinity() : fewest->busy;
}

// Whether the rise from the least count seen to the slowest one is more than noise.
bool ScalabilityCurve::Rises(double variability, double evidence) const {
  const CurvePoint* least = nullptr;
  const CurvePoint* slowest = nullptr;
  for (const CurvePoint& p : points_) {
    if (p.weight < kLeastItems) continue;
    if (least == nullptr) least = &p;
    if (slowest == nullptr || p.service > slowest->service) slowest = &p;
  }
  if (least == slowest) return false;
  const double looks_differ = LookVariance();
  double squared_error = 0;
  for (const CurvePoint* p : {least, slowest}) {
    squared_error += variability / p->weight + looks_differ / p->looks;
  }
  return slowest->service >= std::max(1 + evidence * kRise, NoiseOfRise(squared_error)) * least->service;
}

Scaling ScalabilityCurve::FitCurve(Shape shape) const {
  std::vector<Sample> samples;
  for (const CurvePoint& p : points_) {
    if (p.weight >= kLeastItems) samples.push_back({p.busy, p.service, p.weight / (p.weight + kDoubt)});
  }
  const auto straight = shape == Shape::kRoofline ? FitRoofline(samples) : FitLaw(samples);
  if (!straight) return {};
  Scaling scaling = straight->scaling;
  for (const Sample& s : samples) {
    const double ratio = s.service / (straight->base * scaling.Straight(s.n));
    scaling.seen.push_back({s.n, std::pow(ratio, s.weight)});
  }
  return scaling;
}

}  // namespace sluice::autotune
