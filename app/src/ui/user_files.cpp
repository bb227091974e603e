#include "ui/user_files.h"

#include <cstdlib>
#include <filesystem>

namespace sluice::app {
namespace {

// A relative path in the variable does not count: so the specification.
std::string UserFile(const char* variable, const char* below_home, const std::string& name) {
  const char* folder = std::getenv(variable);
  if (folder != nullptr && *folder == '/') return std::filesystem::path(folder) / "sluice" / name;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / below_home / "sluice" / name;
}

}  // namespace

std::string ConfigFile(const std::string& name) {
  return UserFile("XDG_CONFIG_HOME", ".config", name);
}

std::string StateFile(const std::string& name) {
  return UserFile("XDG_STATE_HOME", ".local/state", name);
}

}  // namespace sluice::app
