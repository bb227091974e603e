#include "wrap/wrap_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/wrap/detached.h"
#include "sluice/wrap/launcher.h"
#include "wrap/wrap_plan.h"
#include "wrap/wrap_watch.h"

namespace sluice {
namespace {

constexpr std::chrono::seconds kLook{3600};

int CannotStart(const StartFailure& why) {
  return Complain({why.message}, why.exit_code);
}

int BecomeIt(const Command& command) {
  std::fflush(nullptr);
  return CannotStart(ExplainStart(command.arguments[0], Become(command)));
}

int BecomePlain(const WrapOptions& options) {
  return BecomeIt({options.command, ApplyChanges(environ, {})});
}

int BecomeWatched(const WrapOptions& options, const WrapPlan& plan) {
  std::unique_ptr<WrapWatch> watch;
  const pid_t pid = getpid();
  const auto beside = StartDetached([&] { watch = std::make_unique<WrapWatch>(options, plan, pid); },
                                    [&](const ProcessWatch& command) {
                                      while (!command.EndsWithin(kLook)) {
                                      }
                                      watch->End(std::nullopt);
                                    });
  if (!beside) Warn(beside.error().message + "; the command runs unwatched");
  return BecomeIt(plan.command);
}

int StayBeside(const WrapOptions& options, const WrapPlan& plan) {
  auto launched = Launcher::Start(plan.command);
  if (!launched) return CannotStart(launched.error());
  std::signal(SIGPIPE, SIG_IGN);
  WrapWatch watch(options, plan, launched->pid());
  const CommandEnd end = launched->Wait();
  watch.End(end);
  EndLike(end.status);
}

}  // namespace

int WrapCommand(const WrapOptions& options) {
  if (IsDisabled(OwnVariable)) return BecomePlain(options);
  if (IsWrapped(OwnVariable) && !options.dry_run) {
    if (!options.quiet) Warn("already inside a wrapped run; " + options.command[0] + " is simply started");
    return BecomePlain(options);
  }
  const auto plan = PlanWrap(options);
  if (!plan) return Complain(plan.error(), kExitUsage);
  if (options.dry_run) return PrintOut(PlanText(*plan));
  for (const std::string& warning : plan->warnings) Warn(warning);
  return options.exec ? BecomeWatched(options, *plan) : StayBeside(options, *plan);
}

}  // namespace sluice
