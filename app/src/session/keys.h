// What the keys mean that a reader of a recorded run presses. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

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

// Takes the first key off `bytes`, which are not empty; nullopt: it means nothing here.
[[nodiscard]] std::optional<Key> TakeKey(std::string_view& bytes);

}  // namespace sluice::app
