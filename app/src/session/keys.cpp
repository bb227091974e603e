#include "session/keys.h"

#include <algorithm>
#include <array>

#include "loop/key_terminal.h"

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

}  // namespace

std::optional<Key> TakeKey(std::string_view& bytes) {
  const auto* const known = std::ranges::find(kKeys, TakeKeyBytes(bytes), &KeyBytes::bytes);
  return known == kKeys.end() ? std::nullopt : std::optional(known->key);
}

}  // namespace sluice::app
