#include "wrap_agent.h"

namespace sluice {

class WrapAgent::Watcher {};

WrapAgent::WrapAgent(WrapAgentOptions) : watcher_(std::make_unique<Watcher>()) {}
WrapAgent::~WrapAgent() = default;

void WrapAgent::Start() {}
void WrapAgent::Stop() {}

std::string WrapAgent::Report() const {
  return {};
}

}  // namespace sluice
