// Compression of what is served. Immutable function.
#pragma once
#include <string>
#include <string_view>

namespace sluice::exporters {

// `text` as a gzip file (RFC 1952).
[[nodiscard]] std::string Gzip(std::string_view text);

}  // namespace sluice::exporters
