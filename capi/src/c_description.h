// What sluice_describe() and its kin build up: a plain value. One thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sluice.h"
#include "sluice/base/budget.h"
#include "sluice/base/graph.h"
#include "sluice/base/knob.h"

struct sluice_description {
  std::string program;
  std::string run_id;
  sluice::Budget budget;
  sluice::Graph graph;
  std::vector<std::int64_t> capacities;  // as graph.connectors
  std::vector<std::uint32_t> parts;      // ops that are parts of others
  std::vector<sluice::Knob> knobs;
};
