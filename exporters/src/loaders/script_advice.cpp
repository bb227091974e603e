#include "loaders/script_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"
#include "sluice/exporters/loader_check.h"

namespace sluice::exporters {
namespace {

constexpr std::uint64_t kEnough = 20;        // batches; fewer say nothing of a rate
constexpr std::int64_t kUnusedPrefetch = 2;  // PyTorch's own, which counts for nothing without workers

bool Several(const std::vector<LoaderReport>& loaders, const LoaderReport& loader) {
  return std::ranges::any_of(loaders, [&](const LoaderReport& other) {
    return other.program == loader.program && other.pid != loader.pid;
  });
}

const char* Heading(bool advising) {
  return advising ? "advice" : "to write it into the script";
}

// As PyTorch's DataLoader knows it, for those who want to write it into the script.
std::string InTheScript(const LoaderSetting& setting) {
  if (setting.workers == 0) return "num_workers=0";
  return fmt::format("num_workers={}, prefetch_factor={}", setting.workers, PrefetchFactor(setting));
}

std::int64_t Middle(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::optional<SharedAdvice> SharedBy(const std::vector<LoaderReport>& loaders, const std::string& program) {
  SharedAdvice shared{.program = program};
  std::vector<std::int64_t> workers;
  std::vector<std::int64_t> prefetch;
  for (const LoaderReport& loader : loaders) {
    if (loader.program != program || loader.values.batches == 0) continue;
    ++shared.processes;
    shared.advising = loader.advising;
    if (const auto found = WorthWriting(loader)) {
      workers.push_back(found->workers);
      prefetch.push_back(PrefetchFactor(*found));
    }
  }
  if (workers.size() * 2 <= shared.processes) return std::nullopt;
  shared.workers = Middle(std::move(workers));
  shared.prefetch_factor = shared.workers == 0 ? kUnusedPrefetch : Middle(std::move(prefetch));
  return shared;
}

}  // namespace

bool EnoughBatches(const LoaderValues& values) {
  return values.batches >= kEnough;
}

std::optional<LoaderSetting> WorthWriting(const LoaderReport& loader) {
  const LoaderValues& values = loader.values;
  if (loader.advising) return values.advice ? std::optional(values.advice->setting) : std::nullopt;
  const LoaderSetting found = Sensible(values.end, values);
  if (values.start == values.end || found == values.start || !Helped(values)) return std::nullopt;
  return found;
}

std::vector<SharedAdvice> SharedAdviceOf(const std::vector<LoaderReport>& loaders) {
  std::vector<SharedAdvice> advice;
  std::vector<std::string> told;
  for (const LoaderReport& loader : loaders) {
    if (!Several(loaders, loader) || std::ranges::find(told, loader.program) != told.end()) continue;
    told.push_back(loader.program);
    if (auto shared = SharedBy(loaders, loader.program)) advice.push_back(std::move(*shared));
  }
  return advice;
}

std::string ScriptLine(const std::vector<LoaderReport>& loaders, const LoaderReport& loader) {
  const auto found = WorthWriting(loader);
  if (!found || !EnoughBatches(loader.values) || Several(loaders, loader)) return {};
  std::string line = fmt::format("{}: DataLoader({})", Heading(loader.advising), InTheScript(*found));
  if (const auto& advice = loader.values.advice; advice && loader.advising)
    line += fmt::format(", predicted {} batches/s", FormatRate(advice->predicted));
  return line;
}

std::string SharedScriptLines(const std::vector<LoaderReport>& loaders) {
  std::string text;
  for (const SharedAdvice& shared : SharedAdviceOf(loaders)) {
    text += fmt::format("  {}: {}, all {} processes: DataLoader(num_workers={}, prefetch_factor={})\n",
                        shared.program, Heading(shared.advising), shared.processes, shared.workers,
                        shared.prefetch_factor);
  }
  return text;
}

}  // namespace sluice::exporters
