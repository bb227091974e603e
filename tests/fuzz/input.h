// What fuzzers share: an input as text, or taken apart piece by piece.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sluice::fuzz {

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Hands out an input from its beginning; zeros and empty text once it is used up. One thread.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(Text(data, size)) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  std::string_view Take(std::size_t size) {
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  template <std::integral T>
  T Number() {
    T number = 0;
    const auto bytes = Take(sizeof(T));
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  // 0 to `most`.
  std::size_t UpTo(std::size_t most) { return Number<std::uint8_t>() % (most + 1); }
  // Fills `out`; what the input no longer holds stays as it was.
  void Fill(std::span<std::byte> out) {
    const auto bytes = Take(out.size());
    std::memcpy(out.data(), bytes.data(), bytes.size());
  }
  // Up to `end`, which goes with it.
  std::string_view Until(char end) {
    const auto taken = Take(std::min(rest_.find(end), rest_.size()));
    Take(1);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace sluice::fuzz
