#include "ui/plan_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/scenario_files.h"
#include "sluice/evaluation/controllers.h"
#include "sluice/runtime/scenario.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::app {
namespace {

constexpr const char* kTuning = "tuning";
constexpr const char* kController = "controller";
constexpr const char* kBeside = "beside";
constexpr const char* kNobody = "nobody";

ui::PlanField Typed(std::string name, const std::string& value, std::string hint) {
  return {.name = std::move(name), .value = value, .hint = std::move(hint), .first = value};
}

ui::PlanField ChoiceOf(std::string name, std::vector<std::string> choices, std::string hint) {
  ui::PlanField field = Typed(std::move(name), choices.front(), std::move(hint));
  field.choices = std::move(choices);
  return field;
}

void AddKnob(std::vector<ui::PlanField>& fields, const std::string& name, int value, int min, int max) {
  ui::PlanField field = Typed(name, fmt::format("{}", value), fmt::format("{} to {}", min, max));
  field.range = ui::KnobRange{min, max};
  fields.push_back(std::move(field));
}

ui::Plan OfLive(const std::string& file, const runtime::Scenario& scenario) {
  ui::Plan plan{.of = file, .name = scenario.pipeline.name, .summary = scenario.summary};
  plan.fields = {
      ChoiceOf(kTuning, {"tune", "advise", "off"},
               "change knobs while it runs, only say so, or measure only"),
      Typed("duration", "", "such as 30s or 5min; nothing: to the end of its data"),
      Typed("epochs", fmt::format("{}", scenario.pipeline.epochs), "passes over the data; 0: endless"),
      Typed("cores", scenario.cores ? fmt::format("{:g}", *scenario.cores) : "",
            "that it may use; nothing: all that it has"),
      Typed("memory", "", "for what is buffered, such as 512MiB; nothing: a quarter of what is free"),
      Typed("seed", fmt::format("{}", scenario.pipeline.seed), "of all random draws"),
      Typed("record", "", "a file that keeps the run, such as run.sluice; nothing: none")};
  const std::vector<std::string> names = runtime::OpNames(scenario.pipeline);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const runtime::OpSpec& op = scenario.pipeline.ops[i];
    if (!runtime::IsSerial(op))
      AddKnob(plan.fields, names[i] + ".workers", op.workers, op.min_workers, op.max_workers);
    AddKnob(plan.fields, names[i] + ".capacity", op.capacity, op.min_capacity, op.max_capacity);
  }
  return plan;
}

ui::Plan OfSimulated(const std::string& file, const simulator::SimScenario& scenario) {
  std::vector<std::string> who;
  for (const evaluation::ControllerInfo& info : evaluation::Controllers()) who.push_back(info.name);
  std::vector<std::string> beside = who;
  std::ranges::rotate(beside, beside.begin() + 1);  // ours last
  beside.emplace_back(kNobody);
  ui::Plan plan{.of = file, .name = scenario.name, .summary = scenario.summary, .simulated = true};
  plan.fields = {
      ChoiceOf(kController, std::move(who), "who tunes: sluice, a published rule, none or the oracle"),
      ChoiceOf(kBeside, std::move(beside), "a second run, tuned by this one, is shown beside it"),
      Typed("duration", "", "virtual time, such as 30s; nothing: the scenario's"),
      Typed("seed", fmt::format("{}", scenario.seed), "of all random draws")};
  return plan;
}

const ui::PlanField& FieldOf(const ui::Plan& plan, const char* name) {
  return *std::ranges::find(plan.fields, name, &ui::PlanField::name);
}

void AddOption(std::vector<std::string>& arguments, const ui::PlanField& field) {
  if (!field.changed() || field.value.empty() || field.name == kController || field.name == kBeside) return;
  if (field.name == kTuning) {
    arguments.emplace_back(field.value == "off" ? "--no-tune" : "--" + field.value);
  } else if (field.name.contains('.')) {
    arguments.insert(arguments.end(), {"--set", field.name + "=" + field.value});
  } else {
    arguments.insert(arguments.end(), {"--" + field.name, field.value});
  }
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./=:,+@%").contains(c);
}

// A word for the shell.
std::string Quoted(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, IsPlain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string InShell(const std::vector<std::string>& arguments) {
  std::string command = "sluice";
  for (const std::string& argument : arguments) command += " " + Quoted(argument);
  return command;
}

bool IsAmongSimulated(const std::string& file) {
  std::error_code error;
  const auto folder = ShippedScenarios();
  return folder &&
         std::filesystem::equivalent(std::filesystem::absolute(file, error).parent_path(), *folder, error);
}

}  // namespace

Result<ui::Plan> PlanOf(const std::string& file) {
  const auto live = runtime::LoadScenario(file);
  const auto simulated = simulator::LoadSimScenario(file);
  if (simulated && (!live || IsAmongSimulated(file))) return OfSimulated(file, *simulated);
  if (live) return OfLive(file, *live);
  if (live.error().message == simulated.error().message) return std::unexpected(live.error());
  return Fail(fmt::format("it is neither a scenario to run ({}) nor one to simulate ({})",
                          live.error().message, simulated.error().message));
}

std::string ControllerOf(const ui::Plan& plan) {
  return plan.simulated ? FieldOf(plan, kController).value : "";
}

std::string BesideWhom(const ui::Plan& plan) {
  if (!plan.simulated) return {};
  const std::string& beside = FieldOf(plan, kBeside).value;
  return beside == kNobody ? "" : beside;
}

std::vector<std::string> ArgumentsOf(const ui::Plan& plan, const std::string& record, bool beside) {
  std::vector<std::string> arguments{plan.simulated ? "sim" : "run", plan.of};
  if (plan.simulated) {
    arguments.insert(arguments.end(), {"--controller", beside ? BesideWhom(plan) : ControllerOf(plan)});
  }
  for (const ui::PlanField& field : plan.fields) AddOption(arguments, field);
  if (!record.empty()) arguments.insert(arguments.end(), {"--record", record});
  return arguments;
}

std::string CommandOf(const ui::Plan& plan) {
  if (!plan.simulated) return InShell(ArgumentsOf(plan, "", false));
  const std::string beside = BesideWhom(plan);
  std::string command = InShell(ArgumentsOf(plan, "a.sluice", false)) + " && ";
  if (!beside.empty()) command += InShell(ArgumentsOf(plan, "b.sluice", true)) + " && ";
  return command + "sluice ui a.sluice" + (beside.empty() ? "" : " b.sluice");
}

}  // namespace sluice::app
