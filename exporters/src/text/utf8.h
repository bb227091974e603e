// Text as a terminal shows it: valid, printable, of a known width. Immutable functions. Names come from
// scenario files and from other processes' segments, so nothing of them may reach a terminal unchecked.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::exporters {

// The next code point of `text` from `at`, which is moved behind it; U+FFFD for an invalid byte.
[[nodiscard]] char32_t NextCodePoint(std::string_view text, std::size_t& at);
void AppendUtf8(std::string& out, char32_t c);

// Invalid bytes become U+FFFD.
[[nodiscard]] std::string ValidUtf8(std::string_view text);
// Besides, control characters become '?', a line break or tab a space. Without `unicode` the result is
// ASCII: arrows, dashes and the like are spelt, everything else becomes '?'.
[[nodiscard]] std::string Printable(std::string_view text, bool unicode);

// Columns on a terminal; `text` is printable.
[[nodiscard]] int DisplayWidth(std::string_view text);
// `text`, or its beginning with an ellipsis where it is wider than `width`.
[[nodiscard]] std::string Clip(std::string_view text, int width, bool unicode);
// The longest beginning of at most `bytes` bytes that cuts no character.
[[nodiscard]] std::string_view Prefix(std::string_view text, std::size_t bytes);

}  // namespace sluice::exporters
