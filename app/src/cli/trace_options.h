// The command lines of what traces.
#pragma once
#include <CLI/CLI.hpp>

#include "loop/flight_recorder.h"
#include "trace/trace_command.h"

namespace sluice::app {

// --flight-recorder, --flight-stall.
void AddFlightRecorder(CLI::App& verb, FlightOptions& options);
void AddTrace(CLI::App& app, TraceOptions& options);

}  // namespace sluice::app
