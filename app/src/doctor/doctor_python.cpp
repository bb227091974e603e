#include "doctor/doctor_python.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "sluice/base/check.h"
#include "sluice/wrap/run_and_read.h"

namespace sluice::app {
namespace {

using nlohmann::json;
using State = exporters::DoctorCheck::State;

constexpr std::chrono::seconds kLongest{120};  // to import torch from a cold disk
constexpr const char* kMark = "sluice-doctor:";
constexpr const char* kByHand = "loaders can be wrapped by hand (docs/wrapping.md)";

std::string Text(const json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

// Of another type: as if it were missing.
bool Truth(const json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_boolean() && found->get<bool>();
}

std::string NumberText(const json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_number_integer() ? found->dump() : "unknown";
}

std::string Joined(const json& answer, const char* key) {
  std::string text;
  const auto found = answer.find(key);
  if (found == answer.end() || !found->is_array()) return text;
  for (const json& word : *found) {
    if (word.is_string()) text += (text.empty() ? "" : ", ") + word.get<std::string>();
  }
  return text;
}

std::string ErrorIn(const json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_object() ? Text(*found, "error") : "";
}

bool IsOld(std::string_view version) {
  int major = 0, minor = 0;
  const char *const begin = version.data(), *const end = begin + version.size();
  const auto first = std::from_chars(begin, end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return false;
  return major < 3 || (major == 3 && minor < 9);
}

exporters::DoctorCheck CheckInterpreter(const json& answer) {
  const std::string version = Text(answer, "version");
  const std::string found = fmt::format("{}, Python {}", Text(answer, "executable"), version);
  if (IsOld(version)) return {State::kBad, "interpreter", found, "the package needs Python 3.9 or later"};
  return {State::kGood, "interpreter", found, ""};
}

exporters::DoctorCheck CheckInjection(const json& answer, const std::string& forbids) {
  if (Truth(answer, "injected")) return {State::kGood, "injection", "works", ""};
  if (!forbids.empty()) {
    return {State::kBad, "injection",
            fmt::format("impossible: {} keeps PYTHONPATH or sitecustomize out", forbids),
            fmt::format("leave out {}, or: {}", forbids, kByHand)};
  }
  return {State::kBad, "injection", "our sitecustomize was not run", kByHand};
}

exporters::DoctorCheck CheckTorch(const json& answer) {
  const auto torch = answer.find("torch");
  if (torch == answer.end() || torch->is_null()) {
    return {State::kNote, "torch", "not installed for this interpreter: measured from outside only", ""};
  }
  const std::string error = ErrorIn(answer, "torch");
  if (!error.empty()) return {State::kBad, "torch", "cannot be imported: " + error, "install it again"};
  const std::string version = Text(*torch, "version");
  if (!answer.contains("strangers")) return {State::kNote, "torch", version, ""};
  const std::string strangers = Joined(answer, "strangers") + ErrorIn(answer, "strangers");
  if (strangers.empty())
    return {State::kGood, "torch", version + ", Sluice was run with it: measured and tuned", ""};
  const std::string failed = ErrorIn(answer, "trial");
  if (failed.empty() && answer.contains("trial")) {
    return {State::kGood, "torch",
            fmt::format("{} is new to Sluice ({}), a trial passed: measured and tuned", version, strangers),
            ""};
  }
  return {State::kNote, "torch",
          fmt::format("{} is new to Sluice ({}), and a trial failed ({}): measured, not changed", version,
                      strangers, failed),
          ""};
}

exporters::DoctorCheck CheckLibrary(const json& answer) {
  const auto library = answer.find("library");
  if (library == answer.end()) return {State::kNote, "libsluice.so", "not looked for without injection", ""};
  const std::string error = ErrorIn(answer, "library");
  if (!error.empty()) return {State::kBad, "libsluice.so", error, "name the file in SLUICE_LIBRARY"};
  return {State::kGood, "libsluice.so",
          fmt::format("{}, version {}, ABI {}", Text(*library, "path"), Text(*library, "version"),
                      NumberText(*library, "abi")),
          ""};
}

exporters::DoctorCheck CheckPatched(const json& answer) {
  const std::string names = Joined(answer, "patched");
  return {State::kNote, "patched", names.empty() ? "nothing" : names, ""};
}

std::string FlagsText(const wrap::PythonCommand& python) {
  std::string text;
  for (const std::string& flag : python.flags) text += " " + flag;
  return text;
}

std::vector<exporters::DoctorCheck> Ask(const wrap::PythonCommand& python, const WrapPlan& plan) {
  SLUICE_CHECK(plan.package);
  wrap::Command question{{python.interpreter}, plan.command.environment};
  for (const std::string& flag : python.flags) question.arguments.push_back(flag);
  question.arguments.push_back((plan.package->inject.parent_path() / "_doctor.py").string());
  const auto answer = wrap::RunAndRead(question, kLongest);
  if (!answer) {
    return {{State::kBad, "interpreter", answer.error().message,
             fmt::format("try {}{} -c pass", python.interpreter, FlagsText(python))}};
  }
  const auto mark = answer->rfind(kMark);
  if (mark == std::string::npos) {
    return {{State::kBad, "interpreter", python.interpreter + " gives no answer", "try it with -c pass"}};
  }
  return ReadAnswer(answer->substr(mark + std::string_view(kMark).size()), python.forbids);
}

}  // namespace

std::vector<exporters::DoctorCheck> ReadAnswer(const std::string& text, const std::string& forbids) {
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) return {{State::kBad, "interpreter", "its answer is no JSON: " + text, ""}};
  return {CheckInterpreter(answer),
          CheckInjection(answer, forbids),
          {State::kNote, "sitecustomize", Joined(answer, "sitecustomize"), ""},
          CheckTorch(answer),
          CheckLibrary(answer),
          {State::kNote, "start method", Text(answer, "start_method"), ""},
          CheckPatched(answer)};
}

std::vector<exporters::DoctorCheck> CheckCommand(const WrapPlan& plan) {
  const char* path = OwnVariable("PATH");
  const std::string& name = plan.command.arguments[0];
  const auto program = wrap::FindProgram(name, path != nullptr ? path : "");
  if (!program) return {{State::kBad, "command", program.error().message, "check the name and PATH"}};
  std::vector<exporters::DoctorCheck> checks{{State::kGood, "command", *program, ""}};
  if (!plan.package) {
    checks.push_back({State::kBad, "package", "not found beside this program", "install Sluice as a whole"});
    return checks;
  }
  checks.push_back({State::kGood, "package", plan.package->inject.string(), ""});
  if (!plan.python) {
    checks.push_back({State::kNote, "interpreter", "no Python program by itself: measured from outside",
                      "to look at a Python that it starts: sluice doctor -- python3"});
    return checks;
  }
  for (exporters::DoctorCheck& check : Ask(*plan.python, plan)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace sluice::app
