#include "wire/wire.h"

#include <array>
#include <bit>

namespace sluice::exporters {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kEightBytes = 1;
constexpr std::uint32_t kLengthAndBytes = 2;
constexpr std::uint32_t kFourBytes = 5;

constexpr std::array<std::uint32_t, 256> kCrcOfByte = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc % 2 == 1 ? 0x82F63B78U : 0U);
    table[byte] = crc;
  }
  return table;
}();

}  // namespace

WireMessage& WireMessage::Whole(std::uint32_t field, std::uint64_t value) {
  Tag(field, kVarint);
  Varint(value);
  return *this;
}

WireMessage& WireMessage::Double(std::uint32_t field, double value) {
  return Fixed64(field, std::bit_cast<std::uint64_t>(value));
}

WireMessage& WireMessage::Fixed64(std::uint32_t field, std::uint64_t value) {
  Tag(field, kEightBytes);
  bytes_ += LittleEndian(value, 8);
  return *this;
}

WireMessage& WireMessage::Float(std::uint32_t field, float value) {
  Tag(field, kFourBytes);
  bytes_ += LittleEndian(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

WireMessage& WireMessage::Bytes(std::uint32_t field, std::string_view bytes) {
  Tag(field, kLengthAndBytes);
  Varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

void WireMessage::Tag(std::uint32_t field, std::uint32_t type) {
  Varint(field << 3 | type);
}

void WireMessage::Varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
  bytes_ += static_cast<char>(value);
}

std::string LittleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::uint32_t Crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrcOfByte[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

}  // namespace sluice::exporters
