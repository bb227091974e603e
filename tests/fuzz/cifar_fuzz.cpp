#include <cstdlib>
#include <span>
#include <vector>

#include "sluice/formats/cifar10.h"

namespace {

// What is accepted is whole records with labels 0..9; what is refused says why.
void Check(std::span<const std::byte> bytes) {
  const auto records = sluice::formats::CountCifarRecords(bytes);
  if (!records) {
    if (records.error().message.empty()) std::abort();
    return;
  }
  if (*records == 0 || *records * sluice::formats::kCifarRecord != bytes.size()) std::abort();
  std::byte pixels[sluice::formats::kCifarPixels];
  for (std::size_t at = 0; at < bytes.size(); at += sluice::formats::kCifarRecord) {
    if (bytes[at] > std::byte{9}) std::abort();
    sluice::formats::CifarToHwc(bytes.subspan(at).first<sluice::formats::kCifarRecord>(), pixels);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  Check(bytes);
  // Few inputs have a good length by themselves: here each byte is the label of a record.
  std::vector<std::byte> records(size * sluice::formats::kCifarRecord);
  for (std::size_t i = 0; i < size; ++i) records[i * sluice::formats::kCifarRecord] = bytes[i];
  Check(records);
  return 0;
}
