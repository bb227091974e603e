// How a verb tells its result: complaints, standard output, files. Any thread.
#pragma once
#include <string>

#include "sluice/base/error.h"

namespace sluice::app {

// A line on standard error.
void Warn(const std::string& sentence);

// The same; returns `code`.
int Complain(const Error& error, int code);

// To standard output. Returns kExitDone, or says what went wrong and returns kExitFailed; a reader that left
// early is 128 + SIGPIPE, silently.
[[nodiscard]] int PrintOut(const std::string& text);

// Said before the work rather than after minutes of it. Empty `file`: nothing is to be written.
[[nodiscard]] Result<void> CanBeWritten(const std::string& option, const std::string& file);

}  // namespace sluice::app
