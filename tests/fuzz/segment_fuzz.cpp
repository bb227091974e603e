// Arbitrary bytes as a segment: an Error or readings, nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "sluice/probes/segment_layout.h"
#include "sluice/probes/segment_reader.h"

namespace {

constexpr sluice::MonoTime kNow = std::chrono::seconds(1000);

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};

// Exactly as large as the input, so that one byte too far is found, and aligned as a mapping is.
std::unique_ptr<std::byte, Free> Aligned(const std::uint8_t* data, std::size_t size) {
  void* copy = nullptr;
  if (posix_memalign(&copy, 64, size) != 0) std::abort();
  std::memcpy(copy, data, size);
  return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(copy));
}

// Past the checks that random bytes would never pass.
void MakePlausible(std::span<std::byte> bytes) {
  if (bytes.size() < sizeof(sluice::probes::segment::Header)) return;
  auto& header = *reinterpret_cast<sluice::probes::segment::Header*>(bytes.data());
  std::memcpy(header.magic, sluice::probes::segment::kMagic, sizeof(header.magic));
  header.major = sluice::probes::segment::kMajor;
  header.ready = 1;
  header.total_size = bytes.size();
}

void Read(std::span<std::byte> bytes) {
  const auto reader = sluice::probes::SegmentReader::Over(bytes);
  if (!reader) return;
  const auto seen = reader->Read(kNow, kNow);
  for (const auto& thread : reader->Threads(kNow)) {
    if (Index(thread.op) >= seen.ops.size()) std::abort();
  }
  static_cast<void>(reader->Decisions());
  static_cast<void>(reader->Events());
  auto requester = sluice::probes::KnobRequester::Over(bytes);
  if (!requester) std::abort();
  for (const auto& knob : seen.knobs) requester->Request(knob.id, knob.max);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool plausible = data[0] % 2 == 0;
  const auto copy = Aligned(data + 1, size - 1);
  const std::span<std::byte> bytes(copy.get(), size - 1);
  if (plausible) MakePlausible(bytes);
  Read(bytes);
  return 0;
}
