#include "text/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::exporters {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array kNoWidth = std::to_array<Range>(
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}});
constexpr std::array kDoubleWidth = std::to_array<Range>({{0x1100, 0x115F},
                                                          {0x2E80, 0xA4CF},
                                                          {0xAC00, 0xD7A3},
                                                          {0xF900, 0xFAFF},
                                                          {0xFE30, 0xFE6F},
                                                          {0xFF00, 0xFF60},
                                                          {0xFFE0, 0xFFE6},
                                                          {0x1F300, 0x1F64F},
                                                          {0x1F680, 0x1F6FF},
                                                          {0x1F900, 0x1F9FF},
                                                          {0x20000, 0x3FFFD}});
// Invisible characters that reorder or hide the text around them.
constexpr std::array kUnsafe = std::to_array<Range>(
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0x2028, 0x2029}, {0xFEFF, 0xFEFF}});

bool In(char32_t c, const auto& ranges) {
  return std::ranges::any_of(ranges, [c](Range r) { return r.first <= c && c <= r.last; });
}

constexpr std::array kSpelt = std::to_array<std::pair<char32_t, std::string_view>>({{U'→', "->"},
                                                                                    {U'–', "-"},
                                                                                    {U'—', "-"},
                                                                                    {U'…', "..."},
                                                                                    {U'×', "x"},
                                                                                    {U'·', "-"},
                                                                                    {U'’', "'"},
                                                                                    {U'‘', "'"},
                                                                                    {U'“', "\""},
                                                                                    {U'”', "\""},
                                                                                    {U'µ', "u"},
                                                                                    {U'μ', "u"},
                                                                                    {U'≤', "<="},
                                                                                    {U'≥', ">="},
                                                                                    {U'±', "+-"},
                                                                                    {U' ', " "}});

void AppendAscii(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const auto spelt = std::ranges::find(kSpelt, c, &std::pair<char32_t, std::string_view>::first);
  out += spelt == kSpelt.end() ? "?" : spelt->second;
}

// The length a lead byte announces; 0 for a byte that cannot lead.
std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool IsScalar(char32_t c, std::size_t length) {
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  return c >= kLeast[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

}  // namespace

char32_t NextCodePoint(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const std::size_t length = SequenceLength(lead);
  if (length == 1) return lead;
  if (length == 0 || at + length - 1 > text.size()) return kReplacement;
  char32_t c = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 0; i + 1 < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80) return kReplacement;
    c = (c << 6) | (byte & 0x3FU);
  }
  if (!IsScalar(c, length)) return kReplacement;
  at += length - 1;
  return c;
}

void AppendUtf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
            static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) AppendUtf8(out, NextCodePoint(text, at));
  return out;
}

std::string Printable(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    if (c == '\n' || c == '\t' || c == '\r') {
      out += ' ';
    } else if (In(c, kUnsafe)) {
      out += '?';
    } else if (unicode) {
      AppendUtf8(out, c);
    } else {
      AppendAscii(out, c);
    }
  }
  return out;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    width += In(c, kNoWidth) ? 0 : In(c, kDoubleWidth) ? 2 : 1;
  }
  return width;
}

std::string Clip(std::string_view text, int width, bool unicode) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::string_view ellipsis = unicode ? "…" : "~";
  std::string out;
  int used = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    static_cast<void>(NextCodePoint(text, at));
    used += DisplayWidth(text.substr(begin, at - begin));
    if (used > width) break;
    out += text.substr(begin, at - begin);
  }
  return width > 0 ? out.append(ellipsis) : std::string();
}

std::string_view Prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace sluice::exporters
