// Protocol Buffers' wire format, as much of it as is written here (protobuf.dev/programming-guides/encoding),
// and CRC-32C.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::exporters {

// A message that is put together field by field. A value; one that is cleared keeps its memory.
class WireMessage {
 public:
  WireMessage& Clear() {
    used_ = 0;
    return *this;
  }
  WireMessage& Whole(std::uint32_t field, std::uint64_t value) {
    char* const at = Room(2 * kVarint);
    return End(PutVarint(PutTag(at, field, 0), value));
  }
  WireMessage& Double(std::uint32_t field, double value) {
    return Fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  WireMessage& Fixed64(std::uint32_t field, std::uint64_t value) {
    return End(PutFixed(PutTag(Room(kVarint + 8), field, 1), value, 8));
  }
  WireMessage& Float(std::uint32_t field, float value) {
    return End(PutFixed(PutTag(Room(kVarint + 4), field, 5), std::bit_cast<std::uint32_t>(value), 4));
  }
  WireMessage& Bytes(std::uint32_t field, std::string_view bytes) {
    char* at = PutTag(Room(2 * kVarint + bytes.size()), field, 2);
    at = PutVarint(at, bytes.size());
    return End(std::copy(bytes.begin(), bytes.end(), at));
  }
  WireMessage& Message(std::uint32_t field, const WireMessage& message) {
    return Bytes(field, message.bytes());
  }

  // Until it is changed.
  [[nodiscard]] std::string_view bytes() const { return {memory_.data(), used_}; }

 private:
  static constexpr std::size_t kVarint = 10;  // bytes at most

  static char* PutVarint(char* at, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>((value & 0x7F) | 0x80);
    *at++ = static_cast<char>(value);
    return at;
  }
  static char* PutTag(char* at, std::uint32_t field, std::uint32_t type) {
    return PutVarint(at, field << 3 | type);
  }
  static char* PutFixed(char* at, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) *at++ = static_cast<char>(value >> (8 * i) & 0xFF);
    return at;
  }
  // The end, with so much room behind it.
  char* Room(std::size_t bytes) {
    if (memory_.size() - used_ < bytes) memory_.resize(2 * memory_.size() + bytes);
    return memory_.data() + used_;
  }
  WireMessage& End(const char* end) {
    used_ = static_cast<std::size_t>(end - memory_.data());
    return *this;
  }

  std::string memory_;
  std::size_t used_ = 0;
};

// The least significant byte first.
[[nodiscard]] std::string LittleEndian(std::uint64_t value, int bytes);

// Castagnoli's polynomial, reflected, as in RFC 3720, B.4.
[[nodiscard]] std::uint32_t Crc32c(std::string_view bytes);

}  // namespace sluice::exporters
