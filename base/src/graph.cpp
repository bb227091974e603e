#include "sluice/base/graph.h"

#include <algorithm>

namespace sluice {

bool Graph::IsPart(std::size_t op) const {
  const auto touches = [&](const ConnectorInfo& c) {
    return Index(c.from) == op || (c.to && Index(*c.to) == op);
  };
  return !connectors.empty() && std::ranges::none_of(connectors, touches);
}

}  // namespace sluice
