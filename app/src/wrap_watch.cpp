#include "wrap_watch.h"

#include <cstdio>
#include <exception>
#include <future>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice {
namespace {

constexpr std::chrono::milliseconds kPatience{400};
constexpr std::chrono::seconds kLook{3600};

}  // namespace

WrapWatch::WrapWatch(const WrapOptions& options, const WrapPlan& plan, pid_t)
    : options_(options), plan_(plan), started_(MonoNow()) {
  StartAgent();
}

WrapWatch::~WrapWatch() = default;

void WrapWatch::StartAgent() {
  if (!plan_.agent) return;
  try {
    agent_ = std::make_shared<WrapAgent>(*plan_.agent);
    agent_->Start();
  } catch (const std::exception& error) {
    agent_.reset();
    std::fprintf(stderr, "sluice: nothing is tuned: %s\n", error.what());
  }
}

// On a thread of its own, so that one that hangs is left behind: the process ends then, and takes it along.
std::optional<std::string> WrapWatch::StopAgent() {
  if (agent_ == nullptr) return "";
  auto said = std::make_shared<std::promise<std::string>>();
  auto report = said->get_future();
  std::thread([agent = agent_, said] {
    try {
      agent->Stop();
      said->set_value(agent->Report());
    } catch (...) {
      said->set_value("");
    }
  }).detach();
  if (report.wait_for(kPatience) != std::future_status::ready) return std::nullopt;
  return report.get();
}

void WrapWatch::WaitFor(const ProcessWatch& command) {
  while (!command.EndsWithin(kLook)) {
  }
}

void WrapWatch::End(const std::optional<CommandEnd>&) {
  const auto loaders = StopAgent();
  if (!options_.quiet && loaders && !loaders->empty()) std::fputs(loaders->c_str(), stderr);
}

}  // namespace sluice
