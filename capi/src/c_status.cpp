#include "c_status.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "sluice/base/clock.h"

namespace sluice::capi {
namespace {

thread_local std::string last_error;

}  // namespace

sluice_status Refuse(sluice_status status, std::string sentence) noexcept {
  last_error = std::move(sentence);
  return status;
}

}  // namespace sluice::capi

using sluice::capi::Guarded;
using sluice::capi::Refuse;

uint32_t sluice_abi_version(void) {
  return SLUICE_ABI_VERSION;
}

const char* sluice_version(void) {
  return SLUICE_VERSION;
}

sluice_status sluice_check_abi(uint32_t compiled_for) {
  if (compiled_for / 1000 == SLUICE_ABI_VERSION / 1000 && compiled_for <= SLUICE_ABI_VERSION)
    return SLUICE_OK;
  return Guarded([&]() -> sluice_status {
    return Refuse(
        SLUICE_TOO_NEW,
        fmt::format("libsluice has ABI version {}, {} is wanted; use the library and the program of "
                    "one release",
                    SLUICE_ABI_VERSION, compiled_for));
  });
}

const char* sluice_last_error(void) {
  return sluice::capi::last_error.c_str();
}

int64_t sluice_now(void) {
  return sluice::MonoNow().count();
}
