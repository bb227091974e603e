// ScriptAdvice: the setting that is worth writing into a script. Immutable functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

// Whether its rate, and what follows from that, is worth telling.
[[nodiscard]] bool EnoughBatches(const LoaderValues& values);

// Of one loader; nullopt: nothing was found that helps.
[[nodiscard]] std::optional<LoaderSetting> WorthWriting(const LoaderReport& loader);

// A script has one line for all of the processes that run it, ranks as a rule: the middle of what they came
// to.
struct SharedAdvice {
  std::string program;
  std::size_t processes = 0;
  std::int64_t workers = 0;
  std::int64_t prefetch_factor = 1;
  bool advising = false;
};
// Of loaders that several processes have, where most of these found something.
[[nodiscard]] std::vector<SharedAdvice> SharedAdviceOf(const std::vector<LoaderReport>& loaders);

// "to write it into the script: DataLoader(num_workers=6, prefetch_factor=3)"; empty: nothing, or what
// several processes share.
[[nodiscard]] std::string ScriptLine(const std::vector<LoaderReport>& loaders, const LoaderReport& loader);
// A line for each that is shared, with its line break.
[[nodiscard]] std::string SharedScriptLines(const std::vector<LoaderReport>& loaders);

}  // namespace sluice::exporters
