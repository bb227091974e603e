#include "c_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "c_status.h"
#include "sluice/probes/segment_layout.h"

using sluice::ConnectorInfo;
using sluice::Knob;
using sluice::KnobKind;
using sluice::OpId;
using sluice::OpInfo;
using sluice::TakesEffect;
using sluice::capi::Guarded;
using sluice::capi::Refuse;

namespace {

sluice_status NoArgument() {
  return Refuse(SLUICE_INVALID, "an argument is NULL");
}

bool Has(const sluice_description& description, uint32_t op) {
  return op < description.graph.ops.size();
}

sluice_status NoOp(uint32_t op) {
  return Refuse(SLUICE_INVALID, fmt::format("there is no op {}", op));
}

sluice_status AddOp(sluice_description& description, OpInfo info, uint32_t* id) {
  if (description.graph.ops.size() == sluice::probes::segment::kMaxOps)
    return Refuse(SLUICE_FULL, fmt::format("at most {} ops", sluice::probes::segment::kMaxOps));
  if (id != nullptr) *id = static_cast<uint32_t>(description.graph.ops.size());
  description.graph.ops.push_back(std::move(info));
  return SLUICE_OK;
}

bool KnownKnob(const sluice_description& description, int kind, uint32_t target) {
  if (kind == SLUICE_KNOB_WORKERS) return Has(description, target);
  return kind == SLUICE_KNOB_CAPACITY && target < description.graph.connectors.size();
}

}  // namespace

sluice_status sluice_describe(const char* program, sluice_description** description) {
  if (program == nullptr || description == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    auto made = std::make_unique<sluice_description>();
    made->program = program;
    *description = made.release();
    return SLUICE_OK;
  });
}

void sluice_description_free(sluice_description* description) {
  delete description;
}

sluice_status sluice_set_run_id(sluice_description* description, const char* run_id) {
  if (description == nullptr || run_id == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    description->run_id = run_id;
    return SLUICE_OK;
  });
}

sluice_status sluice_set_budget(sluice_description* description, double cores, int64_t memory_bytes) {
  if (description == nullptr) return NoArgument();
  if (!(cores >= 0 && cores < 1e6) || memory_bytes < 0)
    return Refuse(SLUICE_INVALID, "cores and bytes: neither negative nor absurd");
  description->budget.cores = cores;
  description->budget.memory = {memory_bytes};
  return SLUICE_OK;
}

sluice_status sluice_add_op(sluice_description* description, const char* name, const char* kind, int serial,
                            uint32_t rows_per_item, uint32_t* id) {
  if (description == nullptr || name == nullptr || kind == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    return AddOp(
        *description,
        OpInfo{
            .name = name, .kind = kind, .serial = serial != 0, .rows_per_item = std::max(rows_per_item, 1u)},
        id);
  });
}

sluice_status sluice_add_part(sluice_description* description, const char* name, uint32_t inside,
                              uint32_t* id) {
  if (description == nullptr || name == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    if (!Has(*description, inside)) return NoOp(inside);
    const std::string kind = "in " + description->graph.ops[inside].name;
    uint32_t op = 0;
    const sluice_status status = AddOp(*description, OpInfo{.name = name, .kind = kind}, &op);
    if (status != SLUICE_OK) return status;
    description->parts.push_back(op);
    if (id != nullptr) *id = op;
    return status;
  });
}

sluice_status sluice_add_connector(sluice_description* description, const char* name, uint32_t from,
                                   uint32_t to, int64_t capacity, uint32_t* id) {
  if (description == nullptr || name == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    if (!Has(*description, from)) return NoOp(from);
    if (to != SLUICE_CONSUMER && (!Has(*description, to) || to <= from)) return NoOp(to);
    if (description->graph.connectors.size() == sluice::probes::segment::kMaxConnectors)
      return Refuse(SLUICE_FULL,
                    fmt::format("at most {} connectors", sluice::probes::segment::kMaxConnectors));
    if (id != nullptr) *id = static_cast<uint32_t>(description->graph.connectors.size());
    ConnectorInfo info{name, OpId{from}, std::nullopt};
    if (to != SLUICE_CONSUMER) info.to = OpId{to};
    description->capacities.push_back(std::max<int64_t>(capacity, 0));
    description->graph.connectors.push_back(std::move(info));
    return SLUICE_OK;
  });
}

// NOLINTNEXTLINE(readability-function-size): the public C interface has so many parameters
sluice_status sluice_add_knob(sluice_description* description, const char* name, int kind, uint32_t target,
                              int64_t min, int64_t max, int64_t value, int takes_effect, uint32_t* id) {
  if (description == nullptr || name == nullptr) return NoArgument();
  return Guarded([&]() -> sluice_status {
    if (!KnownKnob(*description, kind, target))
      return Refuse(SLUICE_INVALID, fmt::format("{}: no such kind or target", name));
    if (takes_effect < SLUICE_LIVE || takes_effect > SLUICE_NEXT_RUN || min > max)
      return Refuse(SLUICE_INVALID, fmt::format("{}: its range or when it takes effect", name));
    if (description->knobs.size() == sluice::probes::segment::kMaxKnobs)
      return Refuse(SLUICE_FULL, fmt::format("at most {} knobs", sluice::probes::segment::kMaxKnobs));
    if (id != nullptr) *id = static_cast<uint32_t>(description->knobs.size());
    Knob knob;
    knob.id = {static_cast<KnobKind>(kind), target};
    knob.name = name;
    knob.min = min;
    knob.max = max;
    knob.value = value;
    knob.takes_effect = static_cast<TakesEffect>(takes_effect);
    description->knobs.push_back(std::move(knob));
    return SLUICE_OK;
  });
}
