// Error and Result: an expected failure is a value with a message for the user, who reads what
// happened, where (file, field), and what to do about it.
#pragma once
#include <expected>
#include <string>
#include <utility>

namespace sluice {

struct Error {
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace sluice
