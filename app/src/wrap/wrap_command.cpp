#include "wrap/wrap_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/wrap/detached.h"
#include "sluice/wrap/launcher.h"
#include "topology/placed_start.h"
#include "wrap/wrap_plan.h"
#include "wrap/wrap_watch.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kLook{3600};

int CannotStart(const wrap::StartFailure& why) {
  return Complain({why.message}, why.exit_code);
}

std::unique_ptr<PlacedStart> Place(const WrapPlan& plan) {
  auto placed = std::make_unique<PlacedStart>(plan.place);
  if (!placed->refusal().empty()) Warn("--place: " + placed->refusal());
  return placed;
}

int BecomeIt(const wrap::Command& command) {
  std::fflush(nullptr);
  return CannotStart(wrap::ExplainStart(command.arguments[0], wrap::Become(command)));
}

int BecomePlain(const WrapOptions& options) {
  return BecomeIt({options.command, wrap::ApplyChanges(environ, {})});
}

int BecomeWatched(const WrapOptions& options, const WrapPlan& plan) {
  std::unique_ptr<WrapWatch> watch;
  const pid_t pid = getpid();
  const auto beside = wrap::StartDetached([&] { watch = std::make_unique<WrapWatch>(options, plan, pid); },
                                          [&](const wrap::ProcessWatch& command) {
                                            while (!command.EndsWithin(kLook)) {
                                            }
                                            watch->LastLook();
                                            watch->End(std::nullopt);
                                          });
  if (!beside) Warn(beside.error().message + "; the command runs unwatched");
  const auto placed = Place(plan);
  return BecomeIt(plan.command);
}

int StayBeside(const WrapOptions& options, const WrapPlan& plan) {
  auto placed = Place(plan);
  auto launched = wrap::Launcher::Start(plan.command);
  placed.reset();
  if (!launched) return CannotStart(launched.error());
  std::signal(SIGPIPE, SIG_IGN);
  WrapWatch watch(options, plan, launched->pid());
  const wrap::CommandEnd end = launched->Wait([&] { watch.LastLook(); });
  watch.End(end);
  wrap::EndLike(end.status);
}

}  // namespace

int WrapCommand(const WrapOptions& options) {
  if (wrap::IsDisabled(OwnVariable)) return BecomePlain(options);
  if (wrap::IsWrapped(OwnVariable) && !options.dry_run) {
    if (!options.quiet) Warn("already inside a wrapped run; " + options.command[0] + " is simply started");
    return BecomePlain(options);
  }
  const auto plan = PlanWrap(options);
  if (!plan) return Complain(plan.error(), kExitUsage);
  if (options.dry_run) return PrintOut(PlanText(*plan));
  for (const std::string& warning : plan->warnings) Warn(warning);
  return options.exec ? BecomeWatched(options, *plan) : StayBeside(options, *plan);
}

}  // namespace sluice::app
