// LoaderStories: what a wrapped run's report says of its loaders, as text. Pure functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/interval.h"

namespace sluice {

struct LoaderStory {
  std::string program;  // "train.py: train_loader (Photos)"
  std::optional<int> rank;
  int pid = 0;
  Snapshot start, end;
  std::optional<ConsumerInterval> first_window, last_window;
  DecisionLog decisions;
  Verdict verdict;
  std::string threads;  // what is wrong with those of its workers
  std::string remark;
  bool advising = false;
};

// A few lines for each loader that handed out at least one batch, and a last one about the ranks where there
// are several. Ends with a line break unless empty.
[[nodiscard]] std::string LoadersText(const std::vector<LoaderStory>& loaders);

// "rank 1 is held up most by its input: ..."; empty for fewer than two ranks.
[[nodiscard]] std::string SlowestRank(const std::vector<LoaderStory>& loaders);

}  // namespace sluice
