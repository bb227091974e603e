#include "cli/version_command.h"

#include <fmt/core.h>

#include <string_view>

#include "build_facts.h"
#include "commit.h"
#include "result/exit_codes.h"
#include "version.h"

namespace sluice::app {
namespace {

void PrintFact(std::string_view name, std::string_view value) {
  fmt::print("{:<14}  {}\n", name, value.empty() ? "none" : value);
}

}  // namespace

int TellVersion(bool build) {
  if (!build) {
    fmt::print("sluice {}\n", kVersion);
    return kExitDone;
  }
  PrintFact("sluice", kVersion);
  PrintFact("commit", kCommit);
  for (const auto& [name, value] : kBuildFacts) PrintFact(name, value);
  return kExitDone;
}

std::string ProgramsCommit() {
  return kCommit;
}

}  // namespace sluice::app
