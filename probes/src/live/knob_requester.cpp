#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "segment/mapping.h"
#include "segment/ring_log.h"
#include "segment/segment_shape.h"
#include "segment/segment_source.h"
#include "sluice/base/futex.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

constexpr std::uint32_t kMinorWithPace = 5;

// Empty where another version has laid it out.
std::span<segment::RingRecord> RingIn(std::span<std::byte> bytes, const segment::Section& section) {
  if (section.stride != sizeof(segment::RingRecord)) return {};
  return {reinterpret_cast<segment::RingRecord*>(bytes.data() + section.offset), section.count};
}

}  // namespace

struct KnobRequester::Impl {
  Impl(SegmentSource from, SegmentShape checked, Mapping mapped, std::span<std::byte> memory)
      : source(std::move(from)),
        shape(std::move(checked)),
        mapping(std::move(mapped)),
        bytes(memory),
        decisions(RingIn(bytes, shape.decisions)) {}

  // nullopt: no such knob, or the file has shrunk and must not be touched.
  [[nodiscard]] std::optional<std::size_t> Find(KnobId id) const;
  [[nodiscard]] segment::KnobCell& cell(std::size_t i) const;
  void Announce() const;

  const SegmentSource source;
  const SegmentShape shape;
  const Mapping mapping;
  const std::span<std::byte> bytes;
  RingLog decisions;
};

std::optional<std::size_t> KnobRequester::Impl::Find(KnobId id) const {
  const auto& knobs = shape.knobs_at_start;
  const auto found = std::ranges::find(knobs, id, &Knob::id);
  if (found == knobs.end() || source.SizeNow() < bytes.size()) return std::nullopt;
  return static_cast<std::size_t>(found - knobs.begin());
}

segment::KnobCell& KnobRequester::Impl::cell(std::size_t i) const {
  return *reinterpret_cast<segment::KnobCell*>(bytes.data() + shape.knobs.offset + i * shape.knobs.stride);
}

void KnobRequester::Impl::Announce() const {
  auto& header = *reinterpret_cast<segment::Header*>(bytes.data());
  WakeFutex(header.knob_futex);
}

KnobRequester::KnobRequester(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KnobRequester::KnobRequester(KnobRequester&&) noexcept = default;
KnobRequester& KnobRequester::operator=(KnobRequester&&) noexcept = default;
KnobRequester::~KnobRequester() = default;

Result<KnobRequester> KnobRequester::Open(const std::string& path) {
  auto source = SegmentSource::File(path, true);
  if (!source) return std::unexpected(source.error());
  auto shape = ReadShape(*source);
  if (!shape) return std::unexpected(shape.error());
  auto mapping = Mapping::Of(*source);
  if (!mapping) return std::unexpected(mapping.error());
  const auto bytes = mapping->bytes();
  return KnobRequester(
      std::make_unique<Impl>(std::move(*source), std::move(*shape), std::move(*mapping), bytes));
}

Result<KnobRequester> KnobRequester::Over(std::span<std::byte> bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(segment::Header) != 0) {
    return Fail("segment in memory: must begin at a multiple of 64");
  }
  auto source = SegmentSource::Memory(bytes);
  auto shape = ReadShape(source);
  if (!shape) return std::unexpected(shape.error());
  return KnobRequester(std::make_unique<Impl>(std::move(source), std::move(*shape), Mapping(), bytes));
}

bool KnobRequester::Request(KnobId knob, std::int64_t value) {
  const auto found = impl_->Find(knob);
  if (!found) return false;
  const Knob& bounds = impl_->shape.knobs_at_start[*found];
  if (value < bounds.min || value > bounds.max) return false;
  impl_->cell(*found).requested.store(value, std::memory_order_relaxed);
  impl_->Announce();
  return true;
}

bool KnobRequester::SetHolder(KnobId knob, Holder holder) {
  const auto found = impl_->Find(knob);
  if (!found) return false;
  impl_->cell(*found).holder.store(static_cast<std::uint32_t>(holder), std::memory_order_relaxed);
  impl_->Announce();
  return true;
}

bool KnobRequester::SetPace(double cores) {
  auto& header = *reinterpret_cast<segment::Header*>(impl_->bytes.data());
  if (impl_->source.SizeNow() < impl_->bytes.size() || header.minor < kMinorWithPace) return false;
  const auto milli = static_cast<std::uint64_t>(std::llround(std::max(0.0, cores) * 1000));
  header.pace_milli.store(milli, std::memory_order_relaxed);
  return true;
}

bool KnobRequester::LogDecision(MonoTime at, std::string_view json) {
  if (impl_->decisions.empty() || impl_->source.SizeNow() < impl_->bytes.size()) return false;
  impl_->decisions.Append(at.count(), json);
  return true;
}

}  // namespace sluice::probes
