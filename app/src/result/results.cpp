#include "result/results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "result/exit_codes.h"

namespace sluice::app {

void Warn(const std::string& sentence) {
  std::fprintf(stderr, "sluice: %s\n", sentence.c_str());
}

int Complain(const Error& error, int code) {
  Warn(error.message);
  return code;
}

int PrintOut(const std::string& text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return kExitDone;
  if (errno == EPIPE) return kExitSignal + SIGPIPE;
  return Complain({fmt::format("cannot write the result: {}", std::strerror(errno))}, kExitFailed);
}

Result<void> CanBeWritten(const std::string& option, const std::string& file) {
  if (file.empty()) return {};
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Fail(fmt::format("{}: {} is a folder", option, file));
  if (!std::filesystem::is_directory(folder, error)) {
    return Fail(fmt::format("{}: there is no folder {}; make it first", option, folder.string()));
  }
  if (!std::filesystem::exists(path, error) && access(folder.c_str(), W_OK) != 0) {
    return Fail(fmt::format("{}: cannot write into {}: {}", option, folder.string(), std::strerror(errno)));
  }
  return {};
}

}  // namespace sluice::app
