// Rows that failed, as values: which they were, where they came from, and how many of how many.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

// Where a row was read from.
struct RowOrigin {
  std::string file;                     // empty: from no file
  std::optional<std::uint64_t> byte{};  // where its record begins, in files that hold many rows
  friend bool operator==(const RowOrigin&, const RowOrigin&) = default;
};

struct FailedRow {
  std::string op;           // whose work on it failed
  std::uint64_t row = 0;    // its index in the data set
  std::uint64_t epoch = 0;  // in which it failed first
  RowOrigin origin;
  std::string error;
};

// Of a run so far. A row counts in each epoch anew, but for `different`.
struct RowFailures {
  std::uint64_t failed = 0;
  std::uint64_t read = 0;       // rows that the source has given out, those that failed included
  std::uint64_t different = 0;  // rows of the data set that failed at least once
};

}  // namespace sluice
