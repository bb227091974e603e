#include "wrap/wrap_watch.h"

#include <sys/wait.h>

#include <cstdio>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "result/results.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/machine_budget.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kPatience{400};

template <typename Make>
auto OrNothing(const char* without, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& error) {
    Warn(std::string(without) + ": " + error.what());
    return nullptr;
  }
}

// On a thread of its own, so that work that hangs is left behind: this process ends soon, and takes it along.
template <typename Work>
auto StartAside(Work work) -> std::future<std::invoke_result_t<Work>> {
  auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Work>()>>(std::move(work));
  auto result = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  return result;
}

template <typename T>
std::optional<T> Within(std::future<T>& result, MonoTime deadline) {
  try {
    const bool ready = result.wait_for(deadline - MonoNow()) == std::future_status::ready;
    return ready ? std::optional(result.get()) : std::nullopt;
  } catch (const std::exception& error) {
    Warn(error.what());
    return std::nullopt;
  }
}

std::vector<exporters::LoaderReport> StopAgent(HostAgent& agent) {
  agent.Stop();
  return agent.Reports();
}

std::string InjectFolder(const WrapPlan& plan) {
  return plan.agent && plan.package ? plan.package->inject.string() : "";
}

// Known before the run; empty: nothing is.
std::string KeptOut(const WrapPlan& plan) {
  if (!plan.agent) return "measured from outside only";
  if (plan.python && !plan.python->forbids.empty())
    return plan.python->forbids + " keeps Sluice out of the interpreter";
  SLUICE_CHECK(plan.package);
  const bool library = !plan.package->library.empty() || OwnVariable("SLUICE_LIBRARY") != nullptr;
  return library ? "" : "libsluice.so.1 is not beside this program";
}

void WriteOrWarn(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  if (const auto written = exporters::WriteFile(file, text); !written) Warn(written.error().message);
}

}  // namespace

WrapWatch::WrapWatch(const WrapOptions& options, const WrapPlan& plan, pid_t pid)
    : options_(options), plan_(plan), started_(MonoNow()) {
  if (plan_.agent) swept_ = StartAside([] { return wrap::RemoveWhatDeadRunsLeft(); }).share();
  tree_ = OrNothing("not measured from outside",
                    [&] { return std::make_shared<wrap::TreeWatch>(pid, plan_.mark, InjectFolder(plan_)); });
  if (!plan_.agent) return;
  agent_ = OrNothing("nothing is tuned", [&] {
    auto agent = std::make_shared<HostAgent>(*plan_.agent);
    agent->Start();
    return agent;
  });
}

WrapWatch::TreeEnd WrapWatch::StopTree(wrap::TreeWatch& tree) {
  tree.Stop();
  return {tree.tree(), tree.gpus()};
}

void WrapWatch::LastLook() try {
  ended_ = MonoNow();
  std::future<TreeEnd> tree;
  if (tree_) tree = StartAside([watch = tree_] { return StopTree(*watch); });
  if (agent_) loaders_ = StartAside([agent = agent_] { return StopAgent(*agent); });
  if (tree_) last_ = Within(tree, ended_ + kPatience);
} catch (...) {
  failed_ = std::current_exception();
}

WrapOutcome WrapWatch::Outcome(const std::optional<wrap::CommandEnd>& end) {
  WrapOutcome outcome;
  outcome.command = plan_.command.arguments;
  outcome.run_id = plan_.run_id;
  outcome.wall = (end ? end->at : ended_) - started_;
  const probes::MachineBudget machine = probes::ReadMachineBudget(0);
  outcome.cores = machine.cores;
  outcome.core_bounds = machine.limits.cores;
  outcome.end = end;
  outcome.kept_out = KeptOut(plan_);
  if (last_) {
    outcome.tree = last_->use;
    outcome.gpus = last_->gpus;
  }
  outcome.loaders =
      agent_ ? Within(loaders_, ended_ + kPatience) : std::optional(std::vector<exporters::LoaderReport>());
  return outcome;
}

void WrapWatch::End(const std::optional<wrap::CommandEnd>& end) try {
  if (failed_) std::rethrow_exception(failed_);
  const WrapOutcome outcome = Outcome(end);
  auto swept = StartAside([before = swept_, makers = outcome.tree ? outcome.tree->started : wrap::Makers()] {
    if (before.valid()) before.wait();  // what it has begun to remove is not there to be found again
    wrap::RemoveLeftovers(makers);
    return wrap::RemoveWhatDeadRunsLeft();
  });
  const exporters::WrapReport report = ReportOf(outcome);
  const std::string text = exporters::WrapReportText(report);
  WriteOrWarn(options_.report, text);
  WriteOrWarn(options_.json, options_.json.empty() ? "" : exporters::WrapReportJson(report));
  if (!options_.quiet) std::fputs(text.c_str(), stderr);
  (void)Within(swept, MonoNow() + kPatience);
  const bool by_signal = end && WIFSIGNALED(end->status);
  if (agent_ && outcome.loaders) agent_->EndMetrics(!by_signal);
} catch (const std::exception& error) {
  Warn(std::string("no report: ") + error.what());
}

}  // namespace sluice::app
