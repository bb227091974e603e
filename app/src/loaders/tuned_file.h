// TunedFile: what a run's tuning has found, for the next run (`sluice wrap --save`, `--load`): knobs per
// loader, keyed by script, loader and data set, with the machine it was found on. A plain value and its TOML
// form (docs/tuned-toml.md). What is read is untrusted.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/run_report.h"

namespace sluice::app {

struct TunedKnob {
  std::string name;  // "fetch.workers"
  std::int64_t value = 0;
};

struct TunedLoader {
  std::string program;      // "train.py: train_loader (Photos)"
  std::optional<int> rank;  // of a distributed run
  std::vector<TunedKnob> knobs;
  double rate = 0;  // batches per second that it came to; 0: unknown
};

struct TunedFile {
  std::string cpu;  // the model's name; empty: unknown
  double cores = 0;
  std::vector<TunedLoader> loaders;

  // Of the same rank, else of any: ranks of one run differ little. nullptr: nothing was found for it.
  [[nodiscard]] const TunedLoader* For(const std::string& program, std::optional<int> rank) const;
};

[[nodiscard]] std::string TunedToml(const TunedFile& file);
// Errors name the file, the place and the remedy.
[[nodiscard]] Result<TunedFile> ParseTuned(const std::string& text, const std::string& path);
[[nodiscard]] Result<TunedFile> ReadTuned(const std::string& path);

// Why a file found elsewhere says nothing about this machine; empty: it does.
[[nodiscard]] std::string WhyNotHere(const TunedFile& file, const std::string& cpu, double cores);

}  // namespace sluice::app
