#include "loop/key_terminal.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

// Else another job has the terminal, and whoever reads from it or changes it is stopped. Async-signal-safe.
bool IsOurs(int fd) {
  const pid_t foreground = tcgetpgrp(fd);
  return foreground < 0 || foreground == getpgrp();  // no job control, where it is not this session's
}

// Here for a process that ends in a signal handler, which knows no object.
std::atomic<int> taken{-1};  // the descriptor of the KeyTerminal that lives
termios before{};            // its modes before; written before `taken`

// Who changes the modes. The one that gives them back for good never lets go.
enum class Turn { kNobodys, kWaits, kGivenBack };
std::atomic<Turn> turn{Turn::kNobodys};

bool Takes(Turn wanted) {
  Turn nobodys = Turn::kNobodys;
  return turn.compare_exchange_strong(nobodys, wanted);
}

void Restore() {
  const int fd = taken.load();
  if (fd >= 0 && IsOurs(fd)) tcsetattr(fd, TCSANOW, &before);
}

}  // namespace

std::string_view TakeKeyBytes(std::string_view& bytes) {
  const std::size_t length = LengthOfKey(bytes);
  const std::string_view key = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return key;
}

KeyTerminal::KeyTerminal(int fd) : fd_(fd), gone_(tcgetattr(fd, &before) != 0) {
  if (gone_) return;
  turn.store(Turn::kNobodys);
  taken.store(fd_);
}

KeyTerminal::~KeyTerminal() {
  Restore();
  taken.store(-1);
}

void KeyTerminal::GiveBack() {
  while (!Takes(Turn::kGivenBack) && turn.load() != Turn::kGivenBack) {
  }
  Restore();
}

// The modes each time anew: whoever stops the program and lets it go on has them changed. A reading takes
// what is there and does not wait: Ctrl-C takes back what has been typed, also after poll has seen it.
std::string_view KeyTerminal::Wait(Nanos most) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 1000));
  if (gone_ || !IsOurs(fd_) || !Takes(Turn::kWaits)) {
    poll(nullptr, 0, timeout);
    return {};
  }
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0;
  tcsetattr(fd_, TCSANOW, &raw);
  turn.store(Turn::kNobodys);
  pollfd ready{fd_, POLLIN, 0};
  if (poll(&ready, 1, timeout) <= 0) return {};
  const ssize_t read_bytes = read(fd_, bytes_, sizeof(bytes_));
  gone_ = (ready.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 ||
          (read_bytes < 0 && errno != EINTR && errno != EAGAIN);
  return {bytes_, static_cast<std::size_t>(std::max<ssize_t>(read_bytes, 0))};
}

}  // namespace sluice::app
