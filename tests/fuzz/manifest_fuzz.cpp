// The manifest of a folder of made data, of any bytes: read or refused, and what is read is what is written.
#include <cstddef>
#include <cstdint>
#include <span>

#include "data_folder.h"
#include "input.h"
#include "sluice/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto contents = sluice::formats::internal::ParseManifest(sluice::fuzz::Text(data, size));
  if (!contents) return 0;
  const auto again =
      sluice::formats::internal::ParseManifest(sluice::formats::internal::ManifestText(*contents, true));
  SLUICE_CHECK(again && *again == *contents);
  return 0;
}
