// The command lines of what records runs and looks at recorded ones.
#pragma once
#include <CLI/CLI.hpp>

#include "loop/recording.h"
#include "session/compare_command.h"
#include "session/replay_command.h"
#include "session/report_command.h"

namespace sluice::app {

// --record, --record-limit, --jsonl, --tensorboard.
void AddRecord(CLI::App& verb, RecordOptions& options);
void AddReplay(CLI::App& app, ReplayOptions& options);
void AddCompare(CLI::App& app, CompareOptions& options);
void AddReport(CLI::App& app, ReportOptions& options);

}  // namespace sluice::app
