// Made-up but realistic loaders of a wrapped run, for tests of their reports.
#pragma once
#include <cstdint>
#include <optional>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters::example {

// Three seconds in which the workers are busy and their rows mostly wait.
inline WindowValues Waiting(double rate, double waits, LoaderSetting setting) {
  WindowValues window;
  window.active = std::chrono::seconds(3);
  window.batches = static_cast<std::uint64_t>(3 * rate);
  window.rate = rate;
  window.waits = Fraction{waits};
  window.setting = setting;
  window.of_loader = true;
  window.cores = 1;
  window.fetch_busy = Fraction{0.95};
  window.fetch_off = Fraction{0.9};
  window.fetch_queued = Fraction{0};
  return window;
}

// The same with rows that compute.
inline WindowValues Computing(double rate, double waits, LoaderSetting setting) {
  WindowValues window = Waiting(rate, waits, setting);
  window.cores = 1.2;
  window.fetch_off = Fraction{0.1};
  window.fetch_queued = Fraction{0.02};
  return window;
}

inline void Set(LoaderReport& loader, LoaderSetting start, LoaderSetting end) {
  loader.values.start = start;
  loader.values.end = end;
  loader.start = {{.id = {KnobKind::kWorkers, 1}, .name = "fetch.workers", .value = start.workers},
                  {.id = {KnobKind::kCapacity, 1}, .name = "fetch.capacity", .value = start.capacity}};
  loader.end = loader.start;
  loader.end[0].value = end.workers;
  loader.end[1].value = end.capacity;
  if (loader.values.first) loader.values.first->setting = start;
  if (loader.values.last) loader.values.last->setting = end;
}

// Runs with one setting; its rows wait.
inline LoaderReport Loader(double rate, double waits, std::optional<int> rank = {}) {
  LoaderReport loader;
  loader.program = "train.py: loader (Photos)";
  loader.rank = rank;
  loader.pid = 70 + rank.value_or(0);
  loader.values.batches = 1000;
  loader.values.cores = 2;
  loader.values.active = std::chrono::seconds(100);
  loader.values.first = loader.values.last = Waiting(rate, waits, {1, 2});
  Set(loader, {1, 2}, {1, 2});
  loader.values.finding = waits < 0.05 ? Finding::kLoop : Finding::kFetchSleeps;
  return loader;
}

// 1 worker becomes 6, and 12 batches/s become 31.
inline LoaderReport Tuned(std::optional<int> rank = {}) {
  LoaderReport loader = Loader(31.42, 0.008, rank);
  loader.values.first = Waiting(12.13, 0.61, {1, 2});
  Set(loader, {1, 2}, {6, 13});
  loader.values.active = std::chrono::seconds(40);
  return loader;
}

}  // namespace sluice::exporters::example
