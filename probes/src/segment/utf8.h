// UTF-8 where it meets fixed-size fields and foreign bytes. Immutable functions.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::probes {

// The longest beginning of `text` of at most `size` bytes that does not end inside of a character.
[[nodiscard]] std::string_view CutUtf8(std::string_view text, std::size_t size);

// `text` with control characters and whatever is not UTF-8 replaced by U+FFFD, fit for a terminal.
[[nodiscard]] std::string PrintableUtf8(std::string_view text);

// Fills a field: cut to fit, NUL-terminated, the rest zero.
void PutText(char* field, std::size_t size, std::string_view text);
template <std::size_t N>
void PutText(char (&field)[N], std::string_view text) {
  PutText(field, N, text);
}

}  // namespace sluice::probes
