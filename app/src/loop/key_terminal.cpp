#include "loop/key_terminal.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sluice::app {
namespace {

// An escape sequence goes on to its first letter or tilde.
std::size_t LengthOfKey(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first >= 0xc0) {
    const auto goes_on = [](unsigned char c) { return (c & 0xc0) == 0x80; };
    return static_cast<std::size_t>(std::find_if_not(bytes.begin() + 1, bytes.end(), goes_on) -
                                    bytes.begin());
  }
  if (first != '\x1b' || bytes.size() < 2 || (bytes[1] != '[' && bytes[1] != 'O')) return 1;
  const auto ends = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '~'; };
  const auto last = std::find_if(bytes.begin() + 2, bytes.end(), ends);
  return static_cast<std::size_t>(last - bytes.begin()) + (last == bytes.end() ? 0 : 1);
}

}  // namespace

std::string_view TakeKeyBytes(std::string_view& bytes) {
  const std::size_t length = LengthOfKey(bytes);
  const std::string_view key = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return key;
}

KeyTerminal::KeyTerminal(int fd) : fd_(fd) {
  saved_ = tcgetattr(fd_, &before_) == 0;
}

KeyTerminal::~KeyTerminal() {
  if (saved_ && Ours()) tcsetattr(fd_, TCSANOW, &before_);
}

bool KeyTerminal::Ours() const {
  const pid_t foreground = tcgetpgrp(fd_);
  return foreground < 0 || foreground == getpgrp();  // no job control, where it is not this session's
}

// Each time anew: whoever stops the program and lets it go on has the terminal's modes changed.
std::string_view KeyTerminal::Wait(Nanos most) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 1000));
  if (gone_ || !Ours()) {
    poll(nullptr, 0, timeout);
    return {};
  }
  if (saved_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(fd_, TCSANOW, &raw);
  }
  pollfd ready{fd_, POLLIN, 0};
  if (poll(&ready, 1, timeout) <= 0) return {};
  const ssize_t read_bytes = read(fd_, bytes_, sizeof(bytes_));
  gone_ = read_bytes == 0 || (read_bytes < 0 && errno != EINTR && errno != EAGAIN);
  return {bytes_, static_cast<std::size_t>(std::max<ssize_t>(read_bytes, 0))};
}

}  // namespace sluice::app
