#include "session/keys.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace sluice::app {
namespace {

struct KeyBytes {
  std::string_view bytes;
  Key key;
};

constexpr auto kKeys = std::to_array<KeyBytes>({{"\x1b[D", Key::kBack},
                                                {"\x1bOD", Key::kBack},
                                                {"h", Key::kBack},
                                                {"\x1b[C", Key::kForward},
                                                {"\x1bOC", Key::kForward},
                                                {"l", Key::kForward},
                                                {"\x1b[5~", Key::kFarBack},
                                                {"\x1b[6~", Key::kFarForward},
                                                {"\x1b[H", Key::kStart},
                                                {"\x1bOH", Key::kStart},
                                                {"\x1b[1~", Key::kStart},
                                                {"\x1b[F", Key::kEnd},
                                                {"\x1bOF", Key::kEnd},
                                                {"\x1b[4~", Key::kEnd},
                                                {" ", Key::kPause},
                                                {"+", Key::kFaster},
                                                {"=", Key::kFaster},
                                                {"-", Key::kSlower},
                                                {"q", Key::kQuit}});

// An escape sequence goes on to its first letter or tilde.
std::size_t LengthOfUnknown(std::string_view bytes) {
  if (bytes[0] != '\x1b' || bytes.size() < 2 || (bytes[1] != '[' && bytes[1] != 'O')) return 1;
  const auto ends = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '~'; };
  const auto last = std::find_if(bytes.begin() + 2, bytes.end(), ends);
  return static_cast<std::size_t>(last - bytes.begin()) + (last == bytes.end() ? 0 : 1);
}

}  // namespace

std::optional<Key> TakeKey(std::string_view& bytes) {
  for (const KeyBytes& known : kKeys) {
    if (!bytes.starts_with(known.bytes)) continue;
    bytes.remove_prefix(known.bytes.size());
    return known.key;
  }
  bytes.remove_prefix(LengthOfUnknown(bytes));
  return std::nullopt;
}

KeyTerminal::KeyTerminal(int fd) : fd_(fd) {
  saved_ = tcgetattr(fd_, &before_) == 0;
}

KeyTerminal::~KeyTerminal() {
  if (saved_) tcsetattr(fd_, TCSANOW, &before_);
}

// Each time anew: whoever stops the program and lets it go on has the terminal's modes changed.
std::string_view KeyTerminal::Wait(Nanos most) {
  if (saved_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(fd_, TCSANOW, &raw);
  }
  pollfd ready{fd_, POLLIN, 0};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  if (poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 1000))) <= 0) return {};
  const ssize_t read_bytes = read(fd_, bytes_, sizeof(bytes_));
  return {bytes_, static_cast<std::size_t>(std::max<ssize_t>(read_bytes, 0))};
}

}  // namespace sluice::app
