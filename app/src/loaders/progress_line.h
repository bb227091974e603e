// ProgressLine: a line now and then on standard error while a wrapped command runs. On a terminal only where
// the command itself has written nothing to it lately, so that nobody's progress bar is torn.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice::app {

enum class Progress : std::uint8_t {
  kWhereQuiet,  // on a terminal on which nothing else happens
  kAlways,      // whatever standard error is, also beside the command's own output
  kNever,
};

// What is known of standard error at one moment.
struct ErrorStream {
  bool terminal = false;
  bool foreground = false;  // this process may write to it without being stopped
  Nanos written{0};  // when the kernel last noted a write to the terminal, on the wall clock; up to 8 s late
};
[[nodiscard]] ErrorStream LookAtStandardError();

// When to say it. One thread.
class ProgressLine {
 public:
  ProgressLine(Progress wanted, MonoTime started) : wanted_(wanted), last_(started) {}

  [[nodiscard]] bool Due(MonoTime now) const;
  // Whether the line may be written, and with which line break before it: the cursor may stand behind
  // something. nullopt: not now. Asked only when due.
  [[nodiscard]] std::optional<std::string> Before(const ErrorStream& stream, Nanos wall) const;
  void Wrote(MonoTime now, Nanos wall);

 private:
  const Progress wanted_;
  MonoTime last_;
  std::optional<Nanos> ours_;  // when this process last wrote
};

}  // namespace sluice::app
