// Keys that a reader of a recorded run presses, and the terminal that tells them at once.
#pragma once
#include <termios.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::app {

enum class Key : std::uint8_t {
  kPause,
  kBack,
  kForward,
  kFarBack,
  kFarForward,
  kStart,
  kEnd,
  kFaster,
  kSlower,
  kQuit,
};

// Takes the first key off `bytes`, which are not empty; nullopt: it means nothing here. Escape sequences are
// those of xterm and of the Linux console.
[[nodiscard]] std::optional<Key> TakeKey(std::string_view& bytes);

// A terminal without line editing and echo, until the end. One thread.
class KeyTerminal {
 public:
  explicit KeyTerminal(int fd);
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  // The bytes of the keys pressed meanwhile; empty: none. Also returns when a signal comes. The view holds
  // until the next call.
  [[nodiscard]] std::string_view Wait(Nanos most);

 private:
  const int fd_;
  bool saved_ = false;
  termios before_{};
  char bytes_[64];
};

}  // namespace sluice::app
