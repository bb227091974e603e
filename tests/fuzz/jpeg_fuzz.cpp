// Hostile image bytes, mostly JPEG (see image_checks.h).
#include <cstddef>
#include <cstdint>
#include <span>

#include "image_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::CheckImage(std::as_bytes(std::span(data, size)));
  return 0;
}
