#include "loaders/progress_line.h"

#include <sys/stat.h>
#include <unistd.h>

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kEvery{60};
constexpr std::chrono::seconds kQuiet{30};
constexpr std::chrono::seconds kNoted{8};  // the kernel notes writes to a terminal in steps of so much

}  // namespace

ErrorStream LookAtStandardError() {
  ErrorStream stream;
  struct stat status = {};
  if (isatty(STDERR_FILENO) == 0 || fstat(STDERR_FILENO, &status) != 0) return stream;
  stream.terminal = true;
  stream.foreground = tcgetpgrp(STDERR_FILENO) == getpgrp();
  stream.written = std::chrono::seconds(status.st_mtim.tv_sec) + Nanos(status.st_mtim.tv_nsec);
  return stream;
}

bool ProgressLine::Due(MonoTime now) const {
  return wanted_ != Progress::kNever && now - last_ >= kEvery;
}

std::optional<std::string> ProgressLine::Before(const ErrorStream& stream, Nanos wall) const {
  if (stream.terminal && !stream.foreground) return std::nullopt;
  if (wanted_ == Progress::kAlways && !stream.terminal) return "";
  if (!stream.terminal) return std::nullopt;
  if (ours_ && stream.written <= *ours_) return "";
  const bool quiet = wall - stream.written >= kQuiet + kNoted;
  if (!quiet && wanted_ != Progress::kAlways) return std::nullopt;
  return "\r\n";
}

void ProgressLine::Wrote(MonoTime now, Nanos wall) {
  last_ = now;
  ours_ = wall;
}

}  // namespace sluice::app
