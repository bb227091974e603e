// How every function of sluice.h ends: with a status and, when it is not SLUICE_OK, a sentence for
// sluice_last_error(). Thread-safe: the sentence is kept per thread.
#pragma once
#include <exception>
#include <new>
#include <string>

#include "sluice.h"

namespace sluice::capi {

// Keeps the sentence, returns the status.
sluice_status Refuse(sluice_status status, std::string sentence) noexcept;

// Runs `body` and turns what it throws into a status: a caller in C cannot catch.
template <typename Body>
sluice_status Guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Refuse(SLUICE_NO_MEMORY, {});
  } catch (const std::exception& e) {
    return Refuse(SLUICE_NO_MEMORY, e.what());
  }
}

}  // namespace sluice::capi
