// The tables of a session file, version by version (docs/session-format.md).
#pragma once
#include <cstdint>

namespace sluice::exporters {

inline constexpr std::int64_t kSessionApplicationId = 0x534C4345;  // "SLCE"
inline constexpr std::int64_t kSessionFormatVersion = 1;           // PRAGMA user_version

// Makes them in an empty database, and says whose it is.
extern const char* const kSessionSchema;

}  // namespace sluice::exporters
