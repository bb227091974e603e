// SLUICE_CHECK: a wrong call aborts with the place and the broken condition. Expected failures are
// Result<T> (error.h), never a check.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace sluice::internal {
[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken requirement: %s\n", file, line, condition);
  std::abort();
}
}  // namespace sluice::internal

#define SLUICE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::sluice::internal::CheckFailed(__FILE__, __LINE__, #condition))
