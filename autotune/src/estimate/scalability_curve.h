// ScalabilityCurve: how an op's time per item grows with the number of its workers that are busy at once.
//
// The universal scalability law (Gunther, "Guerrilla Capacity Planning", 2007) in its service form:
//   service(n) = service(1) * (1 + sigma (n - 1) + kappa n (n - 1)),   rate(n) = n / service(n)
// sigma: a serialised share; kappa: crosstalk, which makes the rate fall beyond sqrt((1 - sigma) / kappa).
// Fitted from (busy workers, seconds per item), so no experiment on throughput is needed, and an op that is
// starved still tells its curve.
// What reads from a storage has another shape, a roofline (Williams, Waterman, Patterson, "Roofline", 2009):
//   service(n) = service(1) * max(1, n / knee)
// readers do not disturb each other until together they have all of its bandwidth. One thread.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::autotune {

struct Usl {
  double sigma = 0;
  double kappa = 0;

  // service(n) / service(1). REQUIRES n >= 1.
  [[nodiscard]] double Slowdown(double n) const { return 1 + sigma * (n - 1) + kappa * n * (n - 1); }
};

enum class Shape : std::uint8_t { kUsl, kRoofline };

// The law, bent to go through what was seen: no real curve is exactly the law's. Between two counts seen the
// correction is interpolated, beyond them it stays.
struct Scaling {
  struct Seen {
    double n = 1;
    double correction = 1;
  };
  Usl law{};
  std::optional<double> knee{};  // of a roofline, in place of the law
  std::vector<Seen> seen{};      // by n; empty: no contention

  [[nodiscard]] bool Contended() const { return !seen.empty(); }
  // service(n) / service(1). REQUIRES n >= 1.
  [[nodiscard]] double Slowdown(double n) const;
  // The same before it is bent.
  [[nodiscard]] double Straight(double n) const { return knee ? std::max(1.0, n / *knee) : law.Slowdown(n); }
  // At 1, 2, ... `most`; empty: no contention.
  [[nodiscard]] std::vector<double> Slowdowns(int most) const;
  // The least count in [1, most] whose rate is within 1 % of the greatest.
  [[nodiscard]] int Peak(int most) const;
  // The slowdown at n > `from` as an optimist would have it: it goes on as up to `from`, unless n itself
  // was seen.
  [[nodiscard]] double Optimist(double from, double n) const;
  // On average of what an optimist says and the counts on both sides suggest.
  [[nodiscard]] double Outlook(double from, double n) const;
  // Of a law that rests on two counts far apart, n the greater one: the count in between where crosstalk
  // alone would have its peak, and the gain there, on average of crosstalk alone and a serialised share
  // alone, which both explain the rise. nullopt where a count in between was seen.
  struct Guess {
    double n = 1;
    double gain = 0;
  };
  [[nodiscard]] std::optional<Guess> Between(double n) const;
};

// The least count whose rate is within 1 % of the greatest. `slowdowns`: at 1, 2, 3, ... REQUIRES one at
// least.
[[nodiscard]] int PeakOf(std::span<const double> slowdowns);

// What was seen around one count of busy workers.
struct CurvePoint {
  double weight = 0;
  double busy = 0;
  double service = 0;
  double looks = 0;
  double log_mean = 0;  // of the looks' times per item
  double log_squares = 0;
};

class ScalabilityCurve {
 public:
  // `busy`: mean number of workers inside the op; `service`: seconds per item, waiting for a core excluded.
  void Add(double busy, double service, double items);
  // What an item costs may have shifted: the next items say by how much. The shape of the curve stays.
  void Reanchor();
  // The least number of busy workers that was seen long enough; infinite where none was.
  [[nodiscard]] double Fewest() const;
  // `variability`: squared coefficient of variation of one item's time. No contention until two counts at
  // least 1.5 apart in ratio have been seen and the rise between them is more than noise and a tenth.
  // `evidence`: so much of the tenth is enough.
  [[nodiscard]] Scaling Fit(double variability, Shape shape = Shape::kUsl, double evidence = 1) const;

 private:
  void Keep(double n, double service, double items);
  void Scale(double ratio);
  // Relative, of one look at the time per item, beyond what items differ.
  [[nodiscard]] double LookVariance() const;
  [[nodiscard]] bool Rises(double variability, double evidence) const;
  [[nodiscard]] Scaling FitCurve(Shape shape) const;
  [[nodiscard]] const CurvePoint* Nearest(double n) const;

  // Half-octaves of the number of busy workers, up to 2^15.
  std::array<CurvePoint, 31> points_{};
  std::optional<CurvePoint> anchor_;  // being gathered
  // From the points as they are; made when asked for.
  mutable std::optional<Scaling> fitted_;
  mutable Shape fitted_shape_ = Shape::kUsl;
};

}  // namespace sluice::autotune
