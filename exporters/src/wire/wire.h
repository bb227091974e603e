// Protocol Buffers' wire format, as much of it as is written here (protobuf.dev/programming-guides/encoding),
// and CRC-32C.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::exporters {

// A message that is put together field by field. A value.
class WireMessage {
 public:
  WireMessage& Whole(std::uint32_t field, std::uint64_t value);
  WireMessage& Double(std::uint32_t field, double value);
  WireMessage& Fixed64(std::uint32_t field, std::uint64_t value);
  WireMessage& Float(std::uint32_t field, float value);
  WireMessage& Bytes(std::uint32_t field, std::string_view bytes);
  WireMessage& Message(std::uint32_t field, const WireMessage& message) {
    return Bytes(field, message.bytes_);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void Tag(std::uint32_t field, std::uint32_t type);
  void Varint(std::uint64_t value);
  std::string bytes_;
};

// The least significant byte first.
[[nodiscard]] std::string LittleEndian(std::uint64_t value, int bytes);

// Castagnoli's polynomial, reflected, as in RFC 3720, B.4.
[[nodiscard]] std::uint32_t Crc32c(std::string_view bytes);

}  // namespace sluice::exporters
