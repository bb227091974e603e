#include "loop/tune_mode.h"

#include <utility>

#include "sluice/autotune/auto_tune.h"

namespace sluice {
namespace {

class VerdictOnly : public Controller {
 public:
  explicit VerdictOnly(std::unique_ptr<Controller> inner) : inner_(std::move(inner)) {}
  Decision Decide(const Snapshot& seen) override {
    Decision said;
    said.verdict = inner_->Decide(seen).verdict;
    return said;
  }

 private:
  std::unique_ptr<Controller> inner_;
};

}  // namespace

std::unique_ptr<Controller> MakeController(TuneMode mode) {
  AutoTuneSettings settings;
  settings.advise = mode != TuneMode::kTune;
  auto controller = MakeAutoTune(settings);
  if (mode != TuneMode::kOff) return controller;
  return std::make_unique<VerdictOnly>(std::move(controller));
}

const char* ModeText(TuneMode mode) {
  return mode == TuneMode::kTune ? "tuning" : mode == TuneMode::kAdvise ? "advising" : "not tuning";
}

}  // namespace sluice
