#include "sluice/wrap/command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "sluice/base/check.h"

namespace sluice::wrap {
namespace {

constexpr const char* kUsualPath = "/bin:/usr/bin";

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool IsProgram(const std::string& file) {
  struct stat info;
  return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(file.c_str(), X_OK) == 0;
}

int ErrorOf(const std::string& file) {
  struct stat info;
  if (stat(file.c_str(), &info) != 0) return errno;
  return IsProgram(file) ? 0 : EACCES;
}

}  // namespace

StartFailure ExplainStart(const std::string& name, int error) {
  if (error == ENOENT && name.find('/') == std::string::npos) return {127, name + ": command not found"};
  if (error == ENOENT || error == ENOTDIR) return {127, fmt::format("{}: {}", name, std::strerror(error))};
  struct stat info;
  if (error == EACCES && stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return {126, name + ": Is a directory"};
  }
  return {126, fmt::format("{}: {}", name, std::strerror(error))};
}

int Become(const Command& command) {
  SLUICE_CHECK(!command.arguments.empty());
  if (command.arguments[0].empty()) return ENOENT;
  const auto arguments = Pointers(command.arguments);
  const auto environment = Pointers(command.environment);
  // Not execvpe: that looks where our own PATH says.
  char** const ours = std::exchange(environ, const_cast<char**>(environment.data()));
  execvp(arguments[0], arguments.data());
  environ = ours;
  return errno;
}

Result<std::string> FindProgram(const std::string& name, const std::string& path) {
  int error = ENOENT;
  if (name.find('/') != std::string::npos) {
    error = ErrorOf(name);
    if (error == 0) return name;
    return Fail(ExplainStart(name, error).message);
  }
  std::string_view rest = path.empty() ? kUsualPath : std::string_view(path);
  while (!name.empty()) {
    const auto colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (IsProgram(file)) return file;
    if (ErrorOf(file) == EACCES) error = EACCES;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return Fail(ExplainStart(name, error).message);
}

}  // namespace sluice::wrap
