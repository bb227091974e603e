// LoaderStories: what a wrapped run's report says of its loaders, as text. Pure functions over values that
// have been checked; the text of findings is in finding_text.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "findings/report_values.h"

namespace sluice::app {

struct LoaderStory {
  std::string program;  // "train.py: train_loader (Photos)"
  std::optional<int> rank;
  int pid = 0;
  LoaderValues values;
  std::vector<Knob> start, end;  // knobs
  std::string threads;           // what is wrong with those of its workers
  std::string remark;
  std::vector<std::string> notes;  // what the measured process itself has to say
  bool advising = false;
};

// What is known of the run as a whole.
struct RunFacts {
  std::optional<Bytes> storage_read;  // by all of its processes
  wrap::CoresLog cores{};
};

// Those that handed out at least one batch, without what contradicts itself.
[[nodiscard]] std::vector<LoaderStory> Tellable(const std::vector<LoaderStory>& loaders,
                                                const RunFacts& facts);

// Whether its rate, and what follows from that, is worth telling.
[[nodiscard]] bool EnoughBatches(const LoaderValues& values);

// The setting that is worth writing into the script; nullopt: nothing was found that helps.
[[nodiscard]] std::optional<LoaderSetting> WorthWriting(const LoaderStory& loader);

// A few lines for each loader that handed out at least one batch, and last ones about the ranks where there
// are several. Ends with a line break unless empty.
[[nodiscard]] std::string LoadersText(const std::vector<LoaderStory>& loaders, const RunFacts& facts = {});

// "rank 1 is held up most by its input: ..."; empty for fewer than two ranks.
[[nodiscard]] std::string SlowestRank(const std::vector<LoaderStory>& loaders, const RunFacts& facts = {});

}  // namespace sluice::app
