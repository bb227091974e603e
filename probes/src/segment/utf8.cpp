#include "segment/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sluice::probes {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t LengthFromLead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

std::uint32_t CodePoint(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  std::uint32_t code = character.size() == 1 ? lead : lead & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

bool IsShown(std::uint32_t code, std::size_t length) {
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code >= kSmallest[length] && code <= 0x10FFFF && !control && !surrogate;
}

// Bytes of the printable character that `text` begins with; 0: there is none.
std::size_t PrintableLength(std::string_view text) {
  const std::size_t length = LengthFromLead(static_cast<unsigned char>(text[0]));
  if (length == 0 || length > text.size()) return 0;
  const auto character = text.substr(0, length);
  if (!std::ranges::all_of(character.substr(1), IsContinuation)) return 0;
  return IsShown(CodePoint(character), length) ? length : 0;
}

}  // namespace

std::string_view CutUtf8(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  std::size_t end = size;
  while (end > 0 && size - end < 4 && IsContinuation(text[end])) --end;
  return text.substr(0, IsContinuation(text[end]) ? size : end);
}

std::string PrintableUtf8(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = PrintableLength(text);
    shown += length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

void PutText(char* field, std::size_t size, std::string_view text) {
  const auto kept = CutUtf8(text, size - 1);
  std::memset(field, 0, size);
  std::memcpy(field, kept.data(), kept.size());
}

}  // namespace sluice::probes
