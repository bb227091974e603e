#include "loop/tune_mode.h"

#include <utility>

#include "sluice/autotune/auto_tune.h"

namespace sluice::app {
namespace {

class VerdictOnly : public autotune::Controller {
 public:
  explicit VerdictOnly(std::unique_ptr<autotune::Controller> inner) : inner_(std::move(inner)) {}
  Decision Decide(const Snapshot& seen) override {
    Decision said;
    said.verdict = inner_->Decide(seen).verdict;
    return said;
  }
  std::optional<Forecast> Foresee(const Snapshot& seen, const std::vector<KnobChange>& changes) override {
    return inner_->Foresee(seen, changes);
  }

 private:
  std::unique_ptr<autotune::Controller> inner_;
};

}  // namespace

std::unique_ptr<autotune::Controller> MakeController(TuneMode mode) {
  auto controller = autotune::MakeAutoTune({.advise = mode != TuneMode::kTune});
  if (mode != TuneMode::kOff) return controller;
  return std::make_unique<VerdictOnly>(std::move(controller));
}

const char* ModeText(TuneMode mode) {
  return mode == TuneMode::kTune ? "tuning" : mode == TuneMode::kAdvise ? "advising" : "not tuning";
}

exporters::Tuning TuningOf(TuneMode mode) {
  using enum exporters::Tuning;
  return mode == TuneMode::kTune ? kTune : mode == TuneMode::kAdvise ? kAdvise : kOff;
}

}  // namespace sluice::app
