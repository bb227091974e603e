// The C interface on a segment that is one, as a worker process attaches it, while somebody else fills its
// entries with any bytes: each call of the input returns, and what it returns is within bounds.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "input.h"
#include "sluice.h"
#include "sluice/base/check.h"
#include "sluice/probes/segment_view.h"
#include "spoiled_segment.h"

namespace {

using namespace sluice;  // NOLINT

// A file in memory with the bytes of the segment, and its path.
class SegmentFile {
 public:
  explicit SegmentFile(std::size_t size) : fd_(memfd_create("segment", MFD_CLOEXEC)), size_(size) {
    SLUICE_CHECK(fd_ >= 0 && ftruncate(fd_, static_cast<off_t>(size)) == 0);
    bytes_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    SLUICE_CHECK(bytes_ != MAP_FAILED);
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void Write(std::span<const std::byte> bytes) { std::memcpy(bytes_, bytes.data(), size_); }

 private:
  int fd_;
  std::size_t size_;
  void* bytes_ = nullptr;
};

// Bytes of `input` in the segment, and the segment in the file.
void Spoil(fuzz::Input& input, SegmentFile& file) {
  static const auto view = probes::SegmentView::Over(fuzz::Spoiled().bytes());
  fuzz::Spoiled().Spoil(input);
  for (std::uint32_t i = 0; probes::segment::ConnectorEntry* connector = view->connector(i); ++i)
    connector->lock = 0;
  file.Write(fuzz::Spoiled().bytes());
}

void CallWorkers(sluice_segment* segment, fuzz::Input& input) {
  const auto worker = static_cast<std::uint32_t>(input.UpTo(5));
  const auto now = input.Number<std::int64_t>();
  const std::array<std::int64_t, 3> took{now, input.Number<std::int64_t>(), 5};
  std::uint32_t slot = 0;
  std::uint64_t items = 0;
  sluice_add_worker(segment, worker, &slot);
  SLUICE_CHECK(slot < probes::segment::kMaxWorkers);
  sluice_worker_begin(segment, worker, now);
  sluice_worker_enter(segment, worker, static_cast<int>(input.UpTo(5)), now);
  sluice_worker_done(segment, worker, took[1] < 0 ? 1 : static_cast<std::uint64_t>(took[1]), now);
  sluice_worker_did(segment, worker, 5, 80, took[0], took[1]);
  int lives = 0;
  sluice_worker_lives(segment, worker, &lives);
  sluice_worker_retire(segment, worker, now);
  sluice_part_done(segment, worker, took.data(), took.size());
  sluice_op_items(segment, worker, &items);
  sluice_op_failed(segment, worker, items);
}

void CallConnectors(sluice_segment* segment, fuzz::Input& input) {
  const auto connector = static_cast<std::uint32_t>(input.UpTo(4));
  const auto now = input.Number<std::int64_t>(), bytes = input.Number<std::int64_t>();
  std::int64_t items = 0, waiting = 0;
  sluice_push(segment, connector, input.UpTo(3), static_cast<std::uint64_t>(bytes), now);
  sluice_pop(segment, connector, input.UpTo(3), bytes, now);
  sluice_set_capacity(segment, connector, bytes, now);
  if (sluice_depth(segment, connector, &items, &waiting) == SLUICE_OK)
    SLUICE_CHECK(items >= 0 && waiting >= 0);
  sluice_drain(segment, connector, now);
}

void CallConsumer(sluice_segment* segment, fuzz::Input& input) {
  const auto now = input.Number<std::int64_t>();
  sluice_epoch_begun(segment, input.UpTo(9));
  sluice_consumer_enter(segment, static_cast<int>(input.UpTo(3)), now);
  sluice_consumer_took(segment, input.UpTo(2), input.UpTo(9));
  sluice_consumer_did(segment, input.UpTo(2), input.UpTo(9), now, input.Number<std::int64_t>());
  sluice_epoch_ended(segment, 5, 3, 2, now, now);
  sluice_set_buffered(segment, now);
  sluice_heartbeat(segment, now);
}

void CallKnobs(sluice_segment* segment, fuzz::Input& input) {
  const auto knob = static_cast<std::uint32_t>(input.UpTo(2));
  std::int64_t value = 0;
  std::uint32_t serial = 0;
  sluice_knob_requested(segment, knob, &value);
  sluice_knob_request(segment, knob, value);
  sluice_knob_apply(segment, knob, input.Number<std::int64_t>());
  sluice_knob_hold(segment, knob, static_cast<int>(input.UpTo(9)));
  sluice_knob_wait(segment, 0, 0, &serial);
  SLUICE_CHECK(*sluice_knob_serial(segment) == serial);
}

void CallRecords(sluice_segment* segment, fuzz::Input& input) {
  std::array<char, SLUICE_RECORD_SIZE> text{};
  auto cursor = input.Number<std::uint64_t>();
  std::int64_t at = 0;
  sluice_next_record(segment, &cursor, &at, text.data(), text.size());
  SLUICE_CHECK(text.back() == '\0');
  sluice_rank(segment);
}

void Call(sluice_segment* segment, fuzz::Input& input) {
  constexpr std::array kCalls{CallWorkers, CallConnectors, CallConsumer, CallKnobs, CallRecords};
  kCalls[input.UpTo(kCalls.size() - 1)](segment, input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static SegmentFile file(fuzz::Spoiled().bytes().size());
  fuzz::Input input(data, size);
  fuzz::Spoiled().Restore();
  Spoil(input, file);
  sluice_segment* segment = nullptr;
  if (sluice_attach(file.path().c_str(), &segment) != SLUICE_OK) {
    SLUICE_CHECK(std::string(sluice_last_error()).starts_with("/proc/self/fd/"));
    return 0;
  }
  while (!input.empty()) {
    Call(segment, input);
    Spoil(input, file);
  }
  sluice_close(segment);
  return 0;
}
