#include "segment/segment_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "segment/section_copy.h"
#include "segment/utf8.h"

namespace sluice::probes {
namespace {

using segment::Header;
using segment::Section;

// Checks that the source ends a text; the text itself may hold anything.
template <std::size_t N>
std::optional<std::string> Text(const char (&field)[N]) {
  const auto* end = std::find(field, field + N, '\0');
  if (end == field + N) return std::nullopt;
  return PrintableUtf8({field, end});
}

std::string CheckHeader(const Header& header, std::uint64_t size) {
  if (!std::equal(segment::kMagic, segment::kMagic + sizeof(segment::kMagic), header.magic)) {
    return "not a segment: the magic is missing";
  }
  if (header.major != segment::kMajor) {
    return fmt::format("layout version {}.{}, this program reads {}.x; use the version that wrote it",
                       header.major, header.minor, segment::kMajor);
  }
  if (header.ready.load(std::memory_order_acquire) != 1) return "not complete yet, or its writer died early";
  if (header.total_size < sizeof(Header) || header.total_size > size) {
    return fmt::format("total_size says {} bytes, there are {}: truncated", header.total_size, size);
  }
  return "";
}

struct SectionRule {
  std::string_view name;
  const Section& section;
  std::uint32_t least_stride;
  std::uint32_t alignment;
  std::uint32_t most;
};

constexpr std::uint32_t kMinorWithSteps = 4;

std::uint64_t HeaderSize(std::uint32_t minor) {
  return minor >= kMinorWithSteps ? sizeof(Header) : segment::kHeaderBefore14;
}

std::string CheckSection(const SectionRule& rule, std::uint64_t header_size, std::uint64_t total_size) {
  const Section& s = rule.section;
  if (s.count > rule.most) return fmt::format("{}: {} entries, at most {}", rule.name, s.count, rule.most);
  if (s.stride < rule.least_stride || s.stride % rule.alignment != 0) {
    return fmt::format("{}: a stride of {} bytes, must be at least {} and a multiple of {}", rule.name,
                       s.stride, rule.least_stride, rule.alignment);
  }
  const std::uint64_t length = std::uint64_t{s.stride} * s.count;
  if (s.offset < header_size || s.offset % rule.alignment != 0 || s.offset > total_size ||
      length > total_size - s.offset) {
    return fmt::format("{}: {} bytes at {} do not lie within the segment's {}", rule.name, length, s.offset,
                       total_size);
  }
  return "";
}

template <typename Entry>
SectionRule Rule(std::string_view name, const Section& section, std::uint32_t most) {
  return {name, section, sizeof(Entry), alignof(Entry), most};
}

std::string CheckSections(const Header& header) {
  const SectionRule rules[] = {
      Rule<segment::OpEntry>("ops", header.ops, segment::kMaxOps),
      Rule<segment::ConnectorEntry>("connectors", header.connectors, segment::kMaxConnectors),
      Rule<segment::WorkerSlot>("workers", header.workers, segment::kMaxWorkers),
      Rule<segment::KnobCell>("knobs", header.knobs, segment::kMaxKnobs),
      Rule<segment::ConsumerEntry>("consumer", header.consumer, 1),
      Rule<segment::RingRecord>("decisions", header.decisions, segment::kDecisionRing),
      Rule<segment::RingRecord>("events", header.events, segment::kEventRing)};
  const std::uint64_t header_size = HeaderSize(header.minor);
  for (const auto& rule : rules) {
    if (auto problem = CheckSection(rule, header_size, header.total_size); !problem.empty()) return problem;
  }
  if (header.consumer.count != 1) return "consumer: must be exactly one entry";
  if (header.minor < kMinorWithSteps) return "";
  if (header.steps.count != 1) return "steps: must be exactly one entry";
  return CheckSection(Rule<segment::StepEntry>("steps", header.steps, 1), header_size, header.total_size);
}

Result<SegmentIdentity> ReadIdentity(const Header& header) {
  const auto run_id = Text(header.run_id);
  const auto program = Text(header.program);
  if (!run_id || !program) return Fail("run_id or program: the text has no end");
  SegmentIdentity identity{header.pid,   header.start_ticks,
                           *program,     *run_id,
                           std::nullopt, MonoTime(std::max<std::int64_t>(header.clock_mono, 0))};
  if (header.rank >= 0) identity.rank = header.rank;
  return identity;
}

Result<OpInfo> ReadOp(const segment::OpEntry& entry) {
  const auto name = Text(entry.name);
  const auto kind = Text(entry.kind);
  if (!name || !kind) return Fail("name or kind: the text has no end");
  return OpInfo{.name = *name,
                .kind = *kind,
                .serial = (entry.flags & segment::kOpSerial) != 0,
                .rows_per_item = std::max(entry.rows_per_item, 1u),
                .passes_on = (entry.flags & segment::kOpPassesOn) != 0,
                .reads_nothing = (entry.flags & segment::kOpReadsNothing) != 0};
}

Result<ConnectorInfo> ReadConnectorInfo(const segment::ConnectorEntry& entry, std::size_t ops) {
  const auto name = Text(entry.name);
  if (!name) return Fail("name: the text has no end");
  const bool to_consumer = entry.to == segment::kToConsumer;
  if (entry.from >= ops || (!to_consumer && (entry.to >= ops || entry.to <= entry.from))) {
    return Fail(fmt::format("leads from op {} to op {} of {}; ops must be in topological order", entry.from,
                            entry.to, ops));
  }
  ConnectorInfo info{*name, OpId{entry.from}, std::nullopt};
  if (!to_consumer) info.to = OpId{entry.to};
  return info;
}

Result<Knob> ReadKnobInfo(const segment::KnobCell& cell, const Graph& graph) {
  const auto name = Text(cell.name);
  if (!name) return Fail("name: the text has no end");
  if (cell.kind > static_cast<std::uint32_t>(KnobKind::kPlacement)) {
    return Fail(fmt::format("kind {} is not known", cell.kind));
  }
  if (cell.takes_effect > static_cast<std::uint32_t>(TakesEffect::kNextRun)) {
    return Fail(fmt::format("takes_effect {} is not known", cell.takes_effect));
  }
  Knob knob;
  knob.id = {static_cast<KnobKind>(cell.kind), cell.target};
  const auto targets = knob.id.kind == KnobKind::kCapacity ? graph.connectors.size() : graph.ops.size();
  if (cell.target >= targets) return Fail(fmt::format("target {} of {}", cell.target, targets));
  if (cell.min > cell.max) return Fail(fmt::format("min {} is more than max {}", cell.min, cell.max));
  knob.name = *name;
  knob.min = cell.min;
  knob.max = cell.max;
  knob.takes_effect = static_cast<TakesEffect>(cell.takes_effect);
  return knob;
}

// Reads every entry of a section with `read`; the first that fails names its place.
template <typename Entry, typename Info, typename Read>
std::string ReadAll(const SegmentSource& source, const Section& section, std::string_view what, Read read,
                    std::vector<Info>& infos) {
  SectionCopy<Entry> entries(section);
  entries.Load(source);
  for (std::uint32_t i = 0; i < section.count; ++i) {
    Result<Info> info = read(entries[i]);
    if (!info) return fmt::format("{} {}: {}", what, i, info.error().message);
    infos.push_back(std::move(*info));
  }
  return "";
}

std::string ReadGraph(const SegmentSource& source, const Header& header, Graph& graph) {
  auto problem = ReadAll<segment::OpEntry>(source, header.ops, "op", ReadOp, graph.ops);
  if (!problem.empty()) return problem;
  const auto read = [&](const auto& entry) { return ReadConnectorInfo(entry, graph.ops.size()); };
  return ReadAll<segment::ConnectorEntry>(source, header.connectors, "connector", read, graph.connectors);
}

}  // namespace

const Header& HeaderCopy::operator*() const {
  return *reinterpret_cast<const Header*>(bytes_);
}

Result<SegmentShape> ReadShape(const SegmentSource& source) {
  const auto fail = [&](const std::string& problem) { return Fail(source.name() + ": " + problem); };
  if (source.size() < sizeof(Header)) return fail("not a segment: too short for a header");
  HeaderCopy header;
  header.Renew(source);
  if (auto problem = CheckHeader(*header, source.size()); !problem.empty()) return fail(problem);
  if (auto problem = CheckSections(*header); !problem.empty()) return fail(problem);
  const auto identity = ReadIdentity(*header);
  if (!identity) return fail(identity.error().message);

  SegmentShape shape{*identity,
                     header->ops,
                     header->connectors,
                     header->consumer,
                     header->knobs,
                     header->decisions,
                     header->events,
                     header->workers,
                     {},
                     nullptr,
                     {}};
  if (header->minor >= kMinorWithSteps) shape.steps = header->steps;
  Graph graph;
  if (auto problem = ReadGraph(source, *header, graph); !problem.empty()) return fail(problem);
  const auto read_knob = [&](const auto& cell) { return ReadKnobInfo(cell, graph); };
  const auto problem =
      ReadAll<segment::KnobCell>(source, header->knobs, "knob", read_knob, shape.knobs_at_start);
  if (!problem.empty()) return fail(problem);
  shape.graph = std::make_shared<const Graph>(std::move(graph));
  return shape;
}

}  // namespace sluice::probes
