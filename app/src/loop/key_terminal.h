// Keys as they are pressed: a terminal that tells them at once, and their bytes one key at a time.
#pragma once
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::app {

// Takes the bytes of the first key off `bytes`, which are not empty: a character of UTF-8, or an escape
// sequence of xterm's or of the Linux console.
[[nodiscard]] std::string_view TakeKeyBytes(std::string_view& bytes);

// A terminal without line editing and echo, until the end. One thread, and one in a process.
class KeyTerminal {
 public:
  explicit KeyTerminal(int fd);
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  // The bytes of the keys pressed meanwhile; empty: none, or this job is in the background. Also returns when
  // a signal comes. The view holds until the next call.
  [[nodiscard]] std::string_view Wait(Nanos most);
  // Puts back the modes that the one alive has changed, where there is one; nobody changes them again.
  // Async-signal-safe, in another thread than that of Wait: for whoever ends the process at once.
  static void GiveBack();

 private:
  const int fd_;
  bool gone_;  // hung up, or no terminal: it would be ready at once, and has nothing
  char bytes_[64];
};

}  // namespace sluice::app
