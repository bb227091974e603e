// Draws times of one distribution; like Draw (base/distribution.h), with the constants worked out once, in
// seconds. One thread.
#pragma once
#include <cmath>

#include "sluice/base/distribution.h"

namespace sluice::simulator {

class SimDraw {
 public:
  explicit SimDraw(const Distribution& d) : SimDraw(d.kind, Seconds(d.mean), d.cv) {}
  SimDraw(Distribution::Kind kind, double mean, double cv)
      : kind_(cv == 0 && kind == Distribution::Kind::kLognormal ? Distribution::Kind::kFixed : kind),
        mean_(mean) {
    const double variance = std::log1p(cv * cv);
    sigma_ = std::sqrt(variance);
    scale_ = mean * std::exp(-variance / 2);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double operator()(Rng& rng) const {
    if (mean_ == 0 || kind_ == Distribution::Kind::kFixed) return mean_;
    if (kind_ == Distribution::Kind::kExponential) return -mean_ * std::log(1.0 - rng.Uniform());
    return scale_ * std::exp(sigma_ * rng.Normal());
  }

 private:
  Distribution::Kind kind_;
  double mean_;
  double sigma_ = 0;
  double scale_ = 0;
};

// Factors of mean 1 for rows of two kinds.
class SimDear {
 public:
  SimDear(double share, double factor)
      : share_(share), cheap_(1 / (1 - share + share * factor)), dear_(factor * cheap_) {}
  // Draws nothing where all rows are of one kind.
  [[nodiscard]] double operator()(Rng& rng) const {
    if (share_ == 0) return 1;
    return rng.Uniform() < share_ ? dear_ : cheap_;
  }

 private:
  double share_;
  double cheap_;
  double dear_;
};

}  // namespace sluice::simulator
