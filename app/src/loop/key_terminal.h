// Keys as they are pressed: a terminal that tells them at once, and their bytes one key at a time.
#pragma once
#include <termios.h>

#include <string_view>

#include "sluice/base/units.h"

namespace sluice::app {

// Takes the bytes of the first key off `bytes`, which are not empty: a character of UTF-8, or an escape
// sequence of xterm's or of the Linux console.
[[nodiscard]] std::string_view TakeKeyBytes(std::string_view& bytes);

// A terminal without line editing and echo, until the end. One thread.
class KeyTerminal {
 public:
  explicit KeyTerminal(int fd);
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  // The bytes of the keys pressed meanwhile; empty: none, or this job is in the background. Also returns when
  // a signal comes. The view holds until the next call.
  [[nodiscard]] std::string_view Wait(Nanos most);

 private:
  // Else another job has the terminal, and whoever reads from it or changes it is stopped.
  [[nodiscard]] bool Ours() const;

  const int fd_;
  bool saved_ = false;
  bool gone_ = false;  // hung up: it is ready at once, and has nothing
  termios before_{};
  char bytes_[64];
};

}  // namespace sluice::app
